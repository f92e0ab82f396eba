import type { PackageVersion } from '../../../contract/package-version.js';

/** How one server is. */
export type ServerReport = WellServer | UnwellServer | UntriedServer;

interface Named {
  readonly toolbox: string;
  readonly server: string;
}

export interface WellServer extends Named {
  readonly state: 'well';
  /** It ran already, and was not started. */
  readonly running?: true;
  /** From the start of the process, or the first request, until its tools are listed. */
  readonly startMs?: number;
  /** How long it takes to list its tools again. */
  readonly latencyMs?: number;
  readonly revision: string | undefined;
  readonly software: string | undefined;
  /** The package it is started from, if npm resolved it. */
  readonly package?: PackageVersion;
  readonly tools: number;
  /** Read by a model if a client gives it all of these tools. */
  readonly tokens: number;
  /** Names of tools that ask a person before each call, and of denied tools. */
  readonly asks?: readonly string[];
  readonly denied?: readonly string[];
  /** Problems of a server that works. */
  readonly warnings?: readonly string[];
  /** Names of tools that differ from what was approved. */
  readonly changed?: readonly string[];
  readonly new?: readonly string[];
}

export interface UnwellServer extends Named {
  readonly state: 'failed' | 'unauthorized';
  readonly afterMs: number;
  readonly kind: string;
  readonly reason: string;
  /** Unless the reason says what to do. */
  readonly advice?: string;
}

/** `skipped`: it may open a browser. */
export interface UntriedServer extends Named {
  readonly state: 'disabled' | 'skipped';
}
