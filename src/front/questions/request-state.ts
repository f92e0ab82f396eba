import type { ToolIdentifier } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import { crypto } from '../../platform/crypto.js';

/** What the agent hands back to us with its answers. It is ours: what is in it must not be believed unless we signed it. */
export interface RequestState {
  /** A call that waits, by its number. */
  readonly parked?: string;
  /** The server's own state, to be returned byte for byte. */
  readonly downstream?: string;
}

/** Signs and checks states. They are bound to one tool and to a time. */
export interface RequestStates {
  sign(state: RequestState, tool: ToolIdentifier): string;
  /** Undefined: it is not ours, was changed, is meant for another tool, or is too old. */
  verify(text: string, tool: ToolIdentifier): RequestState | undefined;
}

export function createRequestStates(validForMs: number): RequestStates {
  const { createHmac, randomBytes, timingSafeEqual } = crypto();
  // Of this process alone: a parked call cannot outlive it either.
  const key = randomBytes(32);
  const macOf = (payload: string, { toolbox, server, name }: ToolIdentifier) =>
    createHmac('sha256', key)
      .update(JSON.stringify([toolbox, server, name, payload]))
      .digest('base64url');

  return {
    sign(state, tool) {
      const payload = Buffer.from(JSON.stringify({ ...state, until: Date.now() + validForMs })).toString('base64url');
      return `${payload}.${macOf(payload, tool)}`;
    },
    verify(text, tool) {
      const [payload = '', mac = '', ...rest] = text.split('.');
      // As text: several texts decode to the same bytes, and only one of them is what we gave out.
      const given = Buffer.from(mac);
      const expected = Buffer.from(macOf(payload, tool));
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const state: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      if (!isRecord(state) || typeof state['until'] !== 'number' || state['until'] < Date.now()) return undefined;
      const { parked, downstream } = state;
      return {
        ...(typeof parked === 'string' && { parked }),
        ...(typeof downstream === 'string' && { downstream }),
      };
    },
  };
}
