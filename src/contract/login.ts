/** A login at a remote server, which its user makes in a browser. */
export interface Login {
  /** Gets ready for the browser. Fails if the login cannot be made at present. */
  begin(signal: AbortSignal): Promise<BegunLogin>;
}

export interface BegunLogin {
  /** What the user opens. */
  readonly url: string;
  /** Resolves once the login is stored; rejects if it failed or took too long. */
  readonly done: Promise<unknown>;
  /** Nothing is stored any more. */
  cancel(): void;
}
