/** Every error code and its meaning. A test keeps `docs/errors.md` equal to it. */
export const errorCodes = {
  CONFIG_NOT_FOUND: 'The named configuration file does not exist or cannot be read.',
  CONFIG_INVALID: 'The configuration file has faults; each is listed with line, column, place and remedy.',
  CONFIG_UNEDITABLE: 'The configuration is written in a form that the command cannot edit.',
  CONFIG_UNSAFE: 'Somebody else than the user can change the configuration file or its directory.',
  INPUT_INVALID: 'The arguments of a meta-tool do not have the right shape.',
  TOOLBOX_NOT_FOUND: 'No toolbox of that name is configured.',
  SERVER_NOT_FOUND: 'The toolbox has no server of that name.',
  TOOL_NOT_FOUND: 'The server has no tool of that name, or a filter or rule hides it.',
  SERVER_UNAVAILABLE: 'The server could not be started or reached, or did not complete the handshake.',
  SERVER_STARTING: 'The server was not ready in time for this call; it is still starting.',
  SERVER_BUSY: 'The server has as many calls running and waiting as its limits allow, or asks to wait.',
  TOOL_CHANGED: 'The tool is not what the user approved, and the lock blocks it until the user approves it.',
  TOOL_NEEDS_TASKS: 'The tool can only be called as a task, which the workbench does not support.',
  QUESTION_UNSUPPORTED: 'The server requires input of a kind that this client does not support.',
  QUESTION_REFUSED: 'The server asked a question that the workbench does not pass on.',
  QUESTION_UNANSWERED: 'The client did not answer a question from the server.',
  LOGIN_UNSUPPORTED: 'The server has no login that the workbench can use.',
  LOGIN_FAILED: 'The authorization server refused the login, or could not be used.',
  LOGIN_MISMATCH: 'The answer of the browser does not belong to the login that was started.',
  LOGIN_UNFINISHED: 'The user did not finish the login in time, or cancelled it.',
  LOGIN_PORT_TAKEN: 'Another program uses the port that the browser would be sent back to.',
  PAGE_PORT_TAKEN: 'The port that the page was to be served on cannot be used.',
  RESOURCE_NOT_FOUND: 'No recent tool result linked to that resource.',
  TOOLBOX_UNAVAILABLE: 'None of the servers of the toolbox could be reached.',
  CALL_FAILED: 'The call was sent, and the server answered with a protocol error or its connection broke.',
  CALL_TIMEOUT: 'The server did not answer the call in time; the workbench cancelled it.',
  CALL_NOT_APPROVED: 'A rule requires that a person approves the call, and nobody did; nothing was sent.',
  CALL_CANCELLED: 'The agent cancelled the call.',
  HOST_LOST: 'The host, the process that runs the servers of all sessions, was lost during the call.',
  PART_MISSING: 'A part of the program is no longer on disk, because the program was updated while running.',
  CLIENT_NOT_FOUND: 'No client of that name is known, or this user does not have it.',
  CLIENT_FILE_INVALID: 'A file that a command would edit cannot be read or edited safely.',
  CLIENT_FILE_BUSY: 'A file that a command would edit is locked by another program, or keeps changing.',
  CLIENT_FILE_UNWRITABLE: 'A file that a command would edit, or the journal of changes, cannot be written.',
  ENTRY_TAKEN: 'The file has an entry of the wanted name already.',
  NOTHING_TO_UNDO: 'The journal has no change that could be undone.',
  WORKBENCH_CLOSED: 'The workbench is shutting down and accepts no more calls.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Where an error occurred, by the names in the configuration. */
export interface Place {
  readonly toolbox?: string;
  readonly server?: string;
  readonly tool?: string;
}

interface Details {
  readonly place?: Place;
  /** The next step: names that exist, the right shape, the next call to make. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error with a code and a place. Callers decide by `code`, never by the text. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
  readonly code: ErrorCode;
  readonly place: Place;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, { place = {}, hint, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.place = place;
    this.hint = hint;
  }
}

/** By name, not `instanceof`: each part of the program has its own copy of the class. */
export function isWorkbenchError(error: unknown): error is WorkbenchError {
  return error instanceof Error && error.name === 'WorkbenchError';
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
