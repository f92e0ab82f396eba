// The limits of the host that sessions share, and of its sessions.

/** From the start of a host until it listens. A session that has waited longer runs its servers itself. */
export const launchLimitMs = 10_000;
/** A working host answers at once. */
export const helloLimitMs = 2_000;
/** From its first answer until the session has shown which process it is, and with it its rights. */
export const proofLimitMs = 2_000;
/** From its first answer until it serves the session; it may have to load its own parts. */
export const attachLimitMs = 30_000;
/** What a session sends to attach; most of it is its configuration. */
export const longestHelloBytes = 4_194_304;
/** Connections of a host that have not asked for anything yet. */
export const maxHostClients = 1_024;
/** A host without sessions ends after this time. */
export const lingerMs = 5_000;
/** A frame with an edited configuration; one with a request of the agent is shorter. */
export const longestFrameToHost = 33_554_432;
/** A frame with a result: `maxResultBytes` can be raised to what a message of a server may have. */
export const longestFrameToSession = 1_073_741_824;
/** Requests of a session that the host has not answered; further ones wait in the session's own process. */
export const maxUnansweredRequests = 256;
/** A session that leaves more unread than this, for a while, is cut off. */
export const backlogCutOffBytes = 67_108_864;
/** How long it may leave that much unread. */
export const backlogCutOffMs = 30_000;
/** A host that is silent for so long while calls run is asked for a sign of life, and is given up when none comes. */
export const silentHostMs = 3_000;
/** How long the sign of life may take. */
export const silentHostLimitMs = 10_000;
/** A host that says it is busy is given up after this time: it will not end by itself. */
export const stalledHostLimitMs = 30_000;
/** A session that loses its host twice within this time runs its servers itself. */
export const hostLossesWithinMs = 10_000;
