/** What a server says about the login it needs, in `WWW-Authenticate`. */
export interface Challenge {
  readonly resourceMetadata?: URL | undefined;
  readonly scope?: string | undefined;
  readonly error?: string | undefined;
}

/** The challenge for a bearer token, also if others stand before it. */
export function readChallenge(header: string | undefined): Challenge {
  const [, text = ''] = /(?:^|[,\s])bearer\s+([^]*)$/i.exec(header ?? '') ?? [];
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(
    /(?<![a-z_])([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi,
  )) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, (quoted ?? plain).trim());
  }
  const metadata = parameters.get('resource_metadata');
  return {
    resourceMetadata: metadata !== undefined && URL.canParse(metadata) ? new URL(metadata) : undefined,
    scope: parameters.get('scope') || undefined,
    error: parameters.get('error') || undefined,
  };
}
