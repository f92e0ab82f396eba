// The limits of who may call over HTTP, with their reasons.

/** Of random data in the token of one person, and in the key that session ids and request states are signed with. */
export const secretBytes = 32;
/** A token that a command has replaced counts within this time, and the former one no longer. */
export const tokenRereadMs = 1_000;

/** Tokens of issuers have one to four kilobytes. */
export const longestToken = 8_192;
/** The clocks of two computers differ. */
export const clockToleranceSeconds = 30;
/** As OpenID Connect has it. */
export const longestSubject = 255;
/** How long a token is not verified again: it takes twenty times as long as to find it. */
export const rememberedMs = 60_000;
/** With the claims of a token, some ten megabytes. */
export const maxRememberedTokens = 10_000;

/** After this time the keys of the issuer are fetched again: one that it has withdrawn must not count for long. */
export const keysFreshMs = 600_000;
/** How long keys are used while the issuer does not answer. */
export const keysUsableMs = 86_400_000;
/** A token may name any key: all that name unknown ones together cause no more than one fetch in this time. */
export const unknownKeyMs = 30_000;
/** An issuer that has not answered is asked again after this time. */
export const issuerRetryMs = 5_000;
/** A document of an issuer; real ones have a few kilobytes. */
export const issuerBytes = 1_048_576;
/** An issuer answers at once, and requests wait for it. */
export const issuerLimitMs = 5_000;
/** Keys of one issuer; real ones have two to ten. */
export const maxKeys = 100;
