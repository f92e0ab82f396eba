import type { Problem, Sources } from './expand-env.js';

/** The user whom a session over HTTP belongs to, as far as entries can name them. */
export interface UserFacts {
  /** 32 hex digits made of issuer and subject. */
  readonly key: string;
  /** Of this user alone, on this computer. */
  readonly directory: string;
  readonly issuer: string;
  readonly subject: string;
  /** As the token has them: only those that the file lists. */
  readonly claims: ReadonlyMap<string, unknown>;
}

/** A user may choose what a claim says, and it is part of a header or of an environment. */
const longestClaim = 1_024;

/** `${user:…}` and `${claim:…}`; undefined where there is no user. */
export function userSources(user: UserFacts | undefined): Pick<Sources, 'user' | 'claim'> {
  return {
    user: (name) => (name === 'key' ? user?.key : name === 'directory' ? user?.directory : undefined),
    claim: (name) => user && claimOf(user, name),
  };
}

function claimOf({ claims }: UserFacts, name: string): string | Problem {
  const value = claims.get(name);
  const problem = problemOf(value);
  if (typeof value === 'string' && problem === undefined) return value;
  const fact =
    value === undefined ? `This user's token has no claim '${name}'` : `The claim '${name}' of this user ${problem}`;
  return { problem: `${fact}. Correct it at the issuer, or remove \${claim:${name}} from the entry.` };
}

/** Why a value cannot be put into an environment or a header, as a phrase without a subject. It is not quoted. */
function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is not text';
  if (value === '') return 'is empty';
  if (value.length > longestClaim) return `has more than ${longestClaim.toLocaleString('en')} characters`;
  return isPlainText(value) ? undefined : 'contains control characters';
}

/** Without line breaks of any kind, other control characters, and halves of characters. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}

const ownVariables = /^WORKBENCH_USER_(?:KEY|ISSUER|SUBJECT)$/i;

/** Variables for the program of `envCommand`: it is told whom it runs for, and by nobody else. */
export function withUser(
  variables: ReadonlyMap<string, string>,
  user: UserFacts | undefined,
): ReadonlyMap<string, string> {
  const others = [...variables].filter(([name]) => !ownVariables.test(name));
  return new Map([
    ...others,
    ...(user === undefined
      ? []
      : ([
          ['WORKBENCH_USER_KEY', user.key],
          ['WORKBENCH_USER_ISSUER', user.issuer],
          ['WORKBENCH_USER_SUBJECT', user.subject],
        ] as const)),
  ]);
}
