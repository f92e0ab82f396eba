import type { ServerTarget } from '../config/config.js';

const shortestSecret = 8;

/** Replaces configured values in text from a server (stderr, error messages): any of them may be a secret. */
export function createMask(target: ServerTarget): (text: string) => string {
  const secrets = new Set<string>();
  for (const value of valuesOf(target)) {
    for (const part of [value, ...partsOf(value)]) if (mayBeSecret(part)) secrets.add(part);
  }
  for (const value of namedSecretsOf(target)) if (value.length >= shortestSecret) secrets.add(value);
  // The longest first: a secret may contain another.
  const ordered = [...secrets].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

function valuesOf(target: ServerTarget): string[] {
  switch (target.kind) {
    case 'stdio':
      return [...target.env.values(), ...target.args];
    case 'remote':
      return [...target.headers.values(), target.url];
    case 'broken':
      return [];
  }
}

/** Values with the name of a secret are masked whatever they look like: a base64 key may look like a path. */
function namedSecretsOf(target: ServerTarget): string[] {
  const named =
    target.kind === 'stdio' ? target.env : target.kind === 'remote' ? target.headers : new Map<string, string>();
  return [...named].filter(([name]) => /key|secret|token|pass|auth|credential/i.test(name)).map(([, value]) => value);
}

/** `--key=VALUE`, `Bearer VALUE`, `scheme://user:VALUE@host/?key=VALUE`: the value alone may appear elsewhere. */
function partsOf(value: string): string[] {
  if (isPath(value) || isPlainUrl(value)) return [];
  return value.split(/[\s=:@/?&#,;'"]+/).filter((part) => part !== value);
}

function mayBeSecret(value: string): boolean {
  if (value.length < shortestSecret) return false;
  if (/^[\d.,+-]+$/.test(value) || /^(true|false)$/i.test(value)) return false;
  return !isPath(value) && !isPlainUrl(value);
}

function isPath(value: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /[\s=?&]/.test(value)) return false;
  return (
    /^(~|\.{1,2})?[/\\]/.test(value) ||
    /^[a-z]:[/\\]/i.test(value) ||
    /^@?[a-z][a-z0-9._-]*(\/[a-z0-9._@-]+)+$/.test(value)
  );
}

/** A URL without user, password, query or fragment. */
function isPlainUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^@?#\s]*$/i.test(value);
}
