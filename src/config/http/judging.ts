import type { Path } from '../place.js';
import type { ConfigFile } from '../schema/schema.js';

/** The block, valid, with references in its strings. */
export type HttpBlock = NonNullable<ConfigFile['http']>;

/** Expands a string of the block. Undefined where that failed, or nothing is left of it: then it is reported. */
export type ExpandHttp = (text: string, at: Path) => string | undefined;

/** Reports a fault at a place in the block. */
export type ReportHttp = (what: string, remedy: string, ...at: Path) => undefined;
