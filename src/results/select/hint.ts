// Models know jq and JSONPath better than JMESPath.

const plainPath = /^(?:\.|\$?(?:\.(?:[A-Za-z_]\w*|\*|"[^"\\]*")|\.?\[(?:-?\d+|\*|'[^'\\]*'|"[^"\\]*")?\])*)$/;

/** For an expression that looks like JSONPath or jq: that it must be JMESPath, and a plain path written in it. */
export function hintFor(text: string, isValid: (text: string) => boolean): string | undefined {
  const trimmed = text.trim();
  if (!/^[$.]/.test(trimmed) && !trimmed.includes('select(')) return undefined;
  const path = trimmed.length <= 200 && plainPath.test(trimmed) ? rewritten(trimmed) : undefined;
  if (path !== undefined && isValid(path)) return `This is JMESPath, not JSONPath or jq: write ${path}`;
  return `This is JMESPath, not JSONPath or jq: paths begin with a name or [, as in items[?state=='open'].title`;
}

function rewritten(path: string): string {
  const names = path
    .replace(/^\$/, '')
    .replaceAll(
      /\.?\[(?:'([^']*)'|"([^"]*)")\]/g,
      (_, single?: string, double?: string) => `.${named(single ?? double ?? '')}`,
    )
    .replaceAll('.[', '[')
    .replace(/^\./, '');
  return names === '' ? '@' : names;
}

/** A name as a path needs it. */
export function named(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
