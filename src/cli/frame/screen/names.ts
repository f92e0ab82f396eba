const mostNames = 40;

/** A name may have line breaks. */
export function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ');
}

/** Many names, as far as anybody would read them. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - mostNames;
  return [...names.slice(0, mostNames).map(oneLine), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
