/** What a client reads to find out where tokens come from, and which. */
export interface ChallengeSettings {
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
}

/** The value of WWW-Authenticate, by RFC 6750 and RFC 9728. */
export function challengeFor(
  { metadataUrl, scopes }: ChallengeSettings,
  error?: 'invalid_token' | 'insufficient_scope',
): string {
  const parts = [
    ['resource_metadata', metadataUrl],
    ...(scopes.length > 0 ? [['scope', scopes.join(' ')]] : []),
    ...(error === undefined ? [] : [['error', error]]),
  ];
  return `Bearer ${parts.map(([name, value = '']) => `${name}="${quoted(value)}"`).join(', ')}`;
}

function quoted(text: string): string {
  return text.replaceAll(/["\\]/g, String.raw`\$&`);
}
