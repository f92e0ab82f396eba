/** What is recorded about one server, for the user to read. No configured secret appears in it. */
export interface Journal {
  /** The file that it is written to, if any. */
  readonly file: string | undefined;
  /** Replaces configured secrets in a text from the server. `isCut`: the text may end in the middle of one. */
  readonly mask: (text: string, isCut?: boolean) => string;
  /** Something that happened to the connection. */
  readonly note: (text: string) => void;
  /** Something the user should look at. */
  readonly warn: (text: string) => void;
  /** A line of the server's own output that is not part of the protocol, already masked. */
  readonly output: (line: string) => void;
}
