import type { Client } from '../../../clients/table/client.js';
import { type HttpForm, httpFormOf, tokenVariable } from '../../../clients/table/http-forms.js';
import { isLoopbackUrl } from '../../../config/http/addresses.js';
import { type HttpTarget, tokenPlaceholder } from './http-target.js';

/** What has to be done for a client to reach a service: lines for a person. */
export function httpHints(
  client: Client | undefined,
  { url, hasOwnToken }: HttpTarget,
  form: HttpForm | undefined = client && httpFormOf(client.name),
): string[] {
  const title = client?.title ?? 'The client';
  const service = isLoopbackUrl(url) ? ['The service has to run: mcp-workbench serve --http'] : [];
  if (form === undefined) return service;
  return [...service, ...(hasOwnToken ? tokenHint(title, form) : [`${title} opens a browser for your login.`])];
}

function tokenHint(title: string, { tokenBy }: HttpForm): string[] {
  switch (tokenBy) {
    case 'helper':
      return [];
    case 'variable':
      return [`${title} takes the token from its environment: export ${tokenVariable}="$(mcp-workbench token)"`];
    case 'question':
      return [`${title} asks for the token once: mcp-workbench token`];
    case 'literal':
      return [`The token is text in its entry (${tokenPlaceholder} where it is not shown): mcp-workbench token`];
  }
}
