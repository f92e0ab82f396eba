import type { ToolIdentifier } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import { crypto } from '../../platform/crypto.js';

/** The state that the agent returns with its answers. It is trusted only if our signature matches. */
export interface RequestState {
  /** The id of a parked call. */
  readonly parked?: string;
  /** The server's own state, returned byte for byte. */
  readonly downstream?: string;
  /** How many questions the call has asked so far. */
  readonly asked?: number;
  /** Names the approval of the call. */
  readonly approval?: string;
  /** The digest of the arguments that the questions are about, if the workbench asks about them. */
  readonly args?: string;
}

/** Signs and verifies states. A state is bound to one tool and expires. */
export interface RequestStates {
  sign(state: RequestState, tool: ToolIdentifier): string;
  /** Undefined if it is forged, changed, for another tool, or expired. */
  verify(text: string, tool: ToolIdentifier): RequestState | undefined;
}

/** What states are signed with, if they have to be valid longer than this session. */
export interface Signing {
  readonly key: Buffer;
  /** A state of another owner is invalid. */
  readonly owner: readonly string[];
}

/** By the wall clock, which other processes share. */
export function createRequestStates(validForMs: number, signing?: Signing): RequestStates {
  const { createHmac, randomBytes, timingSafeEqual } = crypto();
  const { key, owner } = signing ?? { key: randomBytes(32), owner: [] };
  const macOf = (payload: string, { toolbox, server, name }: ToolIdentifier) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['request state', owner, toolbox, server, name, payload]))
      .digest('base64url');

  return {
    sign(state, tool) {
      const payload = Buffer.from(JSON.stringify({ ...state, until: Date.now() + validForMs })).toString('base64url');
      return `${payload}.${macOf(payload, tool)}`;
    },
    verify(text, tool) {
      const [payload = '', mac = '', ...rest] = text.split('.');
      // Compared as text: several base64url texts decode to the same bytes.
      const given = Buffer.from(mac);
      const expected = Buffer.from(macOf(payload, tool));
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const state: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      if (!isRecord(state) || typeof state['until'] !== 'number' || state['until'] < Date.now()) return undefined;
      const { parked, downstream, asked, approval, args } = state;
      return {
        ...(typeof parked === 'string' && { parked }),
        ...(typeof downstream === 'string' && { downstream }),
        ...(typeof asked === 'number' && { asked }),
        ...(typeof approval === 'string' && { approval }),
        ...(typeof args === 'string' && { args }),
      };
    },
  };
}
