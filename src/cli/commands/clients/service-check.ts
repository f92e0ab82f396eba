import { messageOf } from '../../../contract/errors.js';
import { loadPart } from '../../../platform/load-part.js';

const limits = { maxBytes: 65_536, timeoutMs: 5_000 } as const;
/** Of a service for a GET without a session, which it refuses before it asks who sends it. */
const methodNotAllowed = 405;

/** Why a client cannot reach the service of its entry; undefined if one answers there. No token is sent. */
export async function serviceProblem(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!URL.canParse(url)) return 'the URL of its entry is none';
  const { createDocumentFetcher } = await loadPart(() => import('../../../serve/http/identity/fetch-json.js'));
  const service = createDocumentFetcher(url, { env });
  try {
    const { status } = await service.fetch(url, limits, signal);
    return status === methodNotAllowed ? undefined : `${url} is no service of MCP: it answers ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    return `no service answers at ${url}: ${messageOf(error)}`;
  } finally {
    service.close();
  }
}
