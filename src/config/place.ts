export type Path = readonly (string | number)[];

/** What is wrong at a place in the file. It never contains a value of the file. */
export interface PlacedFault {
  readonly path: Path;
  readonly what: string;
  readonly remedy: string;
}

/** A place in the file, written as in code: `config.toolboxes["my box"].mcpServers.api.args[0]`. */
export function formatPlace(path: Path): string {
  return ['config', ...path.map(formatSegment)].join('');
}

function formatSegment(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  return /^[A-Za-z_$][\w$]*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}
