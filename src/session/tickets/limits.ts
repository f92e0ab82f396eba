// The limits of calls that were answered before they ended.

/** Calls of one session that were answered with an id and that no request waits for. A further call waits for its result. */
export const maxUnattendedCalls = 32;
/** The same for all sessions of one process. */
export const maxUnattendedCallsPerProcess = 256;
/** Of the last progress text of a call, in the answer that it still runs. */
export const longestShownProgress = 200;
