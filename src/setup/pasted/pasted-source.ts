import path from 'node:path';
import { openDocument } from '../../clients/documents/open-document.js';
import { isOurEntry } from '../../clients/our-entry.js';
import { clientOf } from '../../clients/table/clients.js';
import type { Computer } from '../../platform/computer.js';
import type { ServerSource } from '../find-servers.js';
import type { Pasted } from './pasted.js';

/** Pasted servers as if they stood in a file of the working directory. */
export function sourceOf({ client: name, servers, inputs }: Pasted, { cwd }: Pick<Computer, 'cwd'>): ServerSource {
  const client = clientOf(name);
  if (client === undefined) throw new Error(`no client ${name}`);
  const text = JSON.stringify({ inputs });
  const file = {
    kind: { format: 'json' as const },
    path: 'pasted text',
    real: path.join(cwd, 'pasted text'),
    access: undefined,
    bytes: Buffer.from(text),
    document: openDocument('json', text),
  };
  const entries = servers
    .filter(([, value]) => !isOurEntry(value))
    .map(([own, value]) => ({ at: [], name: own, value, offset: 0 }));
  return { client, file, entries, isShared: true, isPasted: true };
}
