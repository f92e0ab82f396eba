import type { Tool } from '../../contract/types.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { shorten } from '../../text/shorten.js';
import { RpcError } from './failures.js';
import { type HeaderList, type ParamHeader, paramHeaders, scanParamHeaders } from './param-headers.js';

/** How many faults of one listing are logged: all of them are counted. */
const maxFaults = 5;
const longestFault = 300;

type Params = Readonly<Record<string, unknown>>;

/** Repeats arguments of calls in headers, where tools ask for it. For connections over HTTP in 2026-07-28. */
export interface ArgumentMirror {
  /** Lists tools with `list`. Those that cannot be called as they ask are not admitted. */
  listing<T>(list: (admits: (tool: Tool) => boolean) => Promise<T>): Promise<T>;
  /** Makes a call with `send`. A server that finds headers wrong has not run the tool, so the call is made again, once, after `relist`. */
  call<T>(
    name: string,
    args: Params,
    send: (headers: HeaderList) => Promise<T>,
    relist: () => Promise<unknown>,
  ): Promise<T>;
}

export function createArgumentMirror(warn: (text: string) => void): ArgumentMirror {
  let marked: ReadonlyMap<string, readonly ParamHeader[]> = new Map();
  let reported = '';
  const headersOf = (name: string, args: Params) => paramHeaders(marked.get(name) ?? [], args);

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
        if (!(error instanceof RpcError) || error.code !== rpcCode.headerMismatch) throw error;
        await relist();
        return send(headersOf(name, args));
      }
    },
  };
}
