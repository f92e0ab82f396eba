import type { ConfigFile } from '../schema/schema.js';
import { createLookup, expandReferences } from '../values/expand-env.js';
import { builtInHttp } from '../values/http-defaults.js';

/** The URL of the service that a file describes, as clients see it. Undefined if a variable in it is not set. */
export function endpointUrl(
  http: ConfigFile['http'],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const written = http?.url ?? `http://${http?.listen ?? builtInHttp.listen}${builtInHttp.path}`;
  let isWhole = true;
  const fault = () => {
    isWhole = false;
    return undefined;
  };
  const unknown = () => ({ problem: '' });
  const sources = { variable: createLookup(env), file: unknown, secret: unknown, user: fault, claim: fault };
  const url = expandReferences(written, sources, { missing: fault, failed: fault, inserted: () => {} });
  return isWhole && URL.canParse(url) ? url : undefined;
}
