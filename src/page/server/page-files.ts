import { readFile } from 'node:fs/promises';

export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** By path. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/**
 * For every answer. Nothing is loaded from elsewhere, and no text becomes code: scripts and styles are files of ours, and markup is
 * written only by lit-html, whose templates are part of our script.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  'browser.js': 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Reads the files that the build has put beside the program. `fileOf`: where the one with this ending is. */
export async function readPageFiles(fileOf: (ending: keyof typeof types) => string): Promise<PageFiles> {
  const file = async (ending: keyof typeof types) => ({
    type: types[ending],
    text: await readFile(fileOf(ending), 'utf8'),
  });
  return new Map([
    ['/', await file('html')],
    ['/page.css', await file('css')],
    ['/page.js', await file('browser.js')],
    ['/icon.svg', await file('svg')],
  ]);
}
