import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { tokenInput, tokenVariable } from './table/http-forms.js';

/** The URL of an entry, whatever its client calls it. */
export function urlOfEntry(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  return [value['url'], value['httpUrl'], value['serverUrl']].find((one) => typeof one === 'string');
}

/** The program that prints the headers of an entry. */
export function headersHelperOf(value: unknown): string | undefined {
  const helper = isRecord(value) ? value['headersHelper'] : undefined;
  return typeof helper === 'string' ? helper : undefined;
}

/**
 * Whether an entry reaches a service of this program: by how it gets the token, or by its URL. `endpoint`: that of the
 * configuration in use.
 */
export function isOurHttpEntry(value: unknown, endpoint?: string): boolean {
  const url = urlOfEntry(value);
  if (!isRecord(value) || url === undefined) return false;
  return url === endpoint || hasOurToken(value);
}

function hasOurToken(value: JsonObject): boolean {
  const helper = headersHelperOf(value) ?? '';
  if (/\btoken --headers$/.test(helper) && /mcp-workbench|main\.js/.test(helper)) return true;
  if (value['bearer_token_env_var'] === tokenVariable) return true;
  const headers = value['headers'];
  const authorization = isRecord(headers) ? headers['Authorization'] : undefined;
  if (typeof authorization !== 'string') return false;
  return authorization.includes(tokenVariable) || authorization.includes(`\${input:${tokenInput}}`);
}
