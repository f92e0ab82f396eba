import type { JsonObject } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { shorten } from '../../text/shorten.js';
import type { ArgumentMirror } from '../protocol/wire.js';
import { type ParamHeader, paramHeaders, scanParamHeaders } from './param-headers.js';

/** How many faults of one listing are logged: all of them are counted. */
const maxFaults = 5;
const longestFault = 300;

export function createArgumentMirror(warn: (text: string) => void): ArgumentMirror {
  let marked: ReadonlyMap<string, readonly ParamHeader[]> = new Map();
  let reported = '';
  const headersOf = (name: string, args: JsonObject) => paramHeaders(marked.get(name) ?? [], args);

  return {
    async listing(list) {
      const listed = new Map<string, readonly ParamHeader[]>();
      const faults: string[] = [];
      const result = await list(({ name, inputSchema }) => {
        const scan = scanParamHeaders(inputSchema);
        if (!scan.valid && faults.length < maxFaults) faults.push(shorten(`${name}: ${scan.reason}`, longestFault));
        if (scan.valid && scan.declarations.length > 0) listed.set(name, scan.declarations);
        return scan.valid;
      });
      marked = listed;
      const text = faults.join('; ');
      if (text !== '' && text !== reported) warn(`tools/list: ${text}`);
      reported = text;
      return result;
    },

    async call(name, args, send, relist) {
      try {
        return await send(headersOf(name, args));
      } catch (error) {
        if (!isHeaderMismatch(error)) throw error;
        await relist();
        return send(headersOf(name, args));
      }
    },
  };
}

/** By its code: the class of the error is in another part. */
function isHeaderMismatch(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === rpcCode.headerMismatch;
}
