/** A login at a remote server, which its user makes in a browser. */
export interface Login {
  /** Whether a service asks for it: no command on the user's computer can make it. */
  readonly isOfService: boolean;
  /** Gets ready for the browser. Fails if the login cannot be made at present. Undefined: users are not asked. */
  readonly begin: ((signal: AbortSignal) => Promise<BegunLogin>) | undefined;
}

export interface BegunLogin {
  /** What the user opens. */
  readonly url: string;
  /** Where the user consents; the link may lead to a page of ours first. */
  readonly host: string;
  /** Resolves once the login is stored; rejects if it failed or took too long. */
  readonly done: Promise<unknown>;
  /** Nothing is stored any more. */
  cancel(): void;
}
