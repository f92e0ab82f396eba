import type { ClientEntry, ClientFile } from '../clients/files/client-file.js';
import type { Client } from '../clients/table/client.js';

interface Source {
  readonly client: Client;
  readonly file: ClientFile;
  readonly entries: readonly ClientEntry[];
  readonly isShared: boolean;
}

const lists = new Set(['disabledMcpServers', 'disabledMcpjsonServers']);

/** Marks servers of a project that the user has switched off there: Claude Code keeps their names in the user's own file. */
export function markDisabled<S extends Source>(sources: readonly S[]): S[] {
  const claude = new Set<Source>(sources.filter(({ client }) => client.name === 'claude-code'));
  const disabled = new Map<string, Set<unknown>>();
  for (const { file, isShared } of claude)
    if (!isShared)
      for (const project of file.document.keysAt(['projects'])) disabled.set(project, namesIn(file, project));
  const marked = (entry: ClientEntry): ClientEntry =>
    entry.project !== undefined && disabled.get(entry.project)?.has(entry.name) === true
      ? { ...entry, isDisabled: true }
      : entry;
  return sources.map((source) => (claude.has(source) ? { ...source, entries: source.entries.map(marked) } : source));
}

function namesIn({ document }: ClientFile, project: string): Set<unknown> {
  const held = document.entriesAt(['projects', project]).filter(({ name }) => lists.has(name));
  return new Set(held.flatMap(({ value }): readonly unknown[] => (Array.isArray(value) ? value : [])));
}
