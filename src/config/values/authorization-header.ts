/** Whether the headers of an entry have credentials of their own. */
export function hasAuthorization({ headers }: { readonly headers: ReadonlyMap<string, string> }): boolean {
  return [...headers.keys()].some((name) => name.toLowerCase() === 'authorization');
}
