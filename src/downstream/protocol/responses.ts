import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { createIdScanner } from '../../jsonrpc/id-scanner.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { RpcFailure, RpcMessage, RpcResult } from '../../jsonrpc/messages.js';
import { longestErrorText, longestProgressText, maxOtherMessageBytes } from '../../limits.js';
import { TooComplex } from '../../results/json-outline.js';
import { withoutHidden } from '../../text/hidden.js';
import { shorten } from '../../text/shorten.js';
import { RpcError } from './failures.js';
import type { Journal } from './journal.js';
import { parseMessage } from './parse-message.js';
import type { PendingRequest, PendingRequests } from './pending-requests.js';
import { minPageBytes, readPageStart, readToolPage } from './tool-page.js';
import type { LostMessage, WireSink } from './wire.js';

/** Matches what comes over a wire to the requests that it belongs to. */
export interface Responses {
  readonly message: WireSink['message'];
  readonly line: WireSink['line'];
  /** Whether a page of tools may come. */
  readonly keepsStart: () => boolean;
  /** Whether the message was a page of tools that is too large: those at its start are used. */
  readonly cutPage: (bytes: number, lost: LostMessage) => boolean;
}

export interface ResponsesListener {
  /** A request or a notification from the server. */
  incoming(message: RpcMessage): void;
  /** A message could not be read. */
  lost(bytes: number, message: LostMessage, failure: DownstreamFailure): void;
}

export function createResponses(
  pending: PendingRequests,
  mask: Journal['mask'],
  listener: ResponsesListener,
): Responses {
  function receive(message: RpcMessage, bytes: number): void {
    if (!('method' in message)) answered(message, bytes);
    else if (message.method === 'notifications/progress') progressed(message.params);
    else listener.incoming(message);
  }

  function answered(message: RpcResult | RpcFailure, bytes: number): void {
    // Unknown ids are usually late responses to requests that were cancelled.
    const request = pending.get(message.id);
    if (request === undefined || !pending.measured(request, bytes)) return;
    if ('result' in message) pending.answer(request, message.result);
    else pending.fail(request, new RpcError({ ...message.error, message: readable(message.error.message) }));
  }

  /** Cut first: making millions of characters readable takes seconds. */
  function readable(text: string): string {
    if (text.length <= longestErrorText) return mask(text);
    const cut = `… (${text.length} characters)`;
    return `${mask(shorten(text, longestErrorText).slice(0, -1), true)}${cut}`;
  }

  function progressed(params: JsonObject | undefined): void {
    const request = pending.get(params?.['progressToken']);
    if (request === undefined || params === undefined) return;
    const { progress, total, message } = params;
    if (!isNumber(progress)) return;
    pending.extend(request);
    // Nothing else is passed on: an unknown field could be of any size.
    request.options.onProgress?.({
      progress,
      ...(isNumber(total) && { total }),
      ...(typeof message === 'string' && { message: withoutHidden(shorten(message, longestProgressText)) }),
    });
  }

  function keepsStart(): boolean {
    return pending.all().some(mayBePage);
  }

  /** A page of tools is read without parsing all of it; whether a line is one shows only its id. */
  function receivePage(line: Buffer): boolean {
    if (line.length < minPageBytes || !keepsStart()) return false;
    const found = readToolPage(line, (id) => mayBePage(pending.get(id)));
    const request = found && pending.get(found.id);
    if (found === undefined || request === undefined) return false;
    const { maxBytes = maxOtherMessageBytes } = request.options;
    if (line.length > maxBytes && cutPage(line.length, { ...found, start: line.subarray(0, Math.max(0, maxBytes)) }))
      return true;
    if (pending.measured(request, line.length)) pending.answer(request, found.page);
    return true;
  }

  function cutPage(bytes: number, { id, start }: Pick<LostMessage, 'id' | 'start'>): boolean {
    const request = pending.get(id);
    if (start === undefined || request === undefined || !mayBePage(request)) return false;
    const page = readPageStart(start);
    if (page === undefined) return false;
    request.options.onBytes?.(bytes);
    pending.answer(request, page);
    return true;
  }

  function receiveLine(line: Buffer): boolean {
    if (receivePage(line)) return true;
    try {
      const message = parseMessage(
        line,
        (outline) =>
          line.length <= maxOtherMessageBytes || (!('method' in outline) && pending.get(outline.id) !== undefined),
      );
      if (message !== undefined) receive(message, line.length);
      return message !== undefined;
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error;
      notRead(line, error);
      return true;
    }
  }

  function notRead(line: Buffer, { message, isNotice }: TooComplex): void {
    const scan = createIdScanner();
    if (!isNotice) scan.feed(line);
    const failure = new DownstreamFailure('too-large', `its message of ${line.length} bytes was not read: ${message}`);
    listener.lost(line.length, { id: scan.id(), isRequest: scan.method() !== undefined }, failure);
  }

  return { message: receive, line: receiveLine, keepsStart, cutPage };
}

function mayBePage(request: PendingRequest | undefined): boolean {
  return request?.options.mayBePage === true;
}

/** JSON has numbers that are infinite once parsed and cannot be written again. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
