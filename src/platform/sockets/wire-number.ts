/** The number of the protocol of our own sockets, in every message. docs/internals/status.md describes it. */
export const wireNumber = 1;
