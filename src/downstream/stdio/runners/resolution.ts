import { isRecord } from '../../../jsonrpc/json.js';

/** What npm said about the words of an entry: the file that they run. */
export interface Resolution {
  /** As in the entry, or what was asked for in its place. */
  readonly spec: string;
  readonly name: string;
  readonly version: string;
  readonly integrity?: string | undefined;
  /** Of the package. */
  readonly directory: string;
  /** As npm found it in PATH: on POSIX a link in `.bin`. */
  readonly program: string;
  /** What the program leads to. */
  readonly file: string;
  /** The variables that npm adds to the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Directories that npm puts in front of PATH. */
  readonly paths: readonly string[];
  /** The settings that npm read, or would have read. If one changes, npm is asked again. */
  readonly npmrcs: readonly WatchedFile[];
  /** When npm was asked, in milliseconds since 1970. */
  readonly at: number;
}

export interface WatchedFile {
  readonly file: string;
  /** Empty if there is no such file. */
  readonly digest: string;
}

/** Undefined if the text is not a resolution: the file may be damaged, or of another version. */
export function parseResolution(text: string): Resolution | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isResolution(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isResolution(value: unknown): value is Resolution {
  if (!isRecord(value)) return false;
  const { integrity, variables, paths, npmrcs, at } = value;
  const words = ['spec', 'name', 'version', 'directory', 'program', 'file'].map((key) => value[key]);
  return (
    words.every(isText) &&
    (integrity === undefined || isText(integrity)) &&
    isRecord(variables) &&
    Object.values(variables).every(isText) &&
    Array.isArray(paths) &&
    paths.every(isText) &&
    Array.isArray(npmrcs) &&
    npmrcs.every((one) => isRecord(one) && isText(one['file']) && isText(one['digest'])) &&
    typeof at === 'number'
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
