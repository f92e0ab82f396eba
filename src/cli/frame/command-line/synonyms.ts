/** What people type for a command that has another name here, and what they mean. */
const synonyms: Readonly<Record<string, string>> = {
  ls: 'list',
  show: 'list',
  rm: 'remove',
  delete: 'remove',
  login: 'auth',
  logout: 'auth --logout',
  search: 'tools --search',
  restart: 'stop',
  install: 'add',
  lock: 'approve',
};

/** A sentence about a command that does not exist; undefined for words that mean nothing here. */
export function meantBy(name: string): string | undefined {
  if (name === 'status') return 'The command without a name shows it: mcp-workbench';
  if (name === 'uninstall')
    return "Did you mean 'undo'? It takes back what was changed in files of clients; docs/faq.md has the rest.";
  return Object.hasOwn(synonyms, name) ? `Did you mean '${synonyms[name]}'?` : undefined;
}
