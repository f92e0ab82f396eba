import type { Fault } from './schema-checks.js';
import { contradict, impliedBy, meaningOf, type RawEntry, type Said, typesIn, urlsIn } from './transport.js';

/** What is wrong with an entry that does not say clearly how its server is reached. */
export function targetFaults(entry: RawEntry): readonly Fault[] {
  const isProgram = entry['command'] !== undefined;
  const [url, ...others] = urlsIn(entry);
  if (!isProgram && url === undefined) {
    const remedy = 'Add "command" for a program to start, or "url" for a remote server.';
    return [{ what: 'A server needs a command or a url.', remedy, atKey: true }];
  }
  if (isProgram && url !== undefined) {
    const remedy = 'Keep one of them, or define two servers.';
    return [{ what: 'A server has either a command or a url, not both.', remedy, atKey: true }];
  }
  return [
    ...others
      .filter(({ value }) => value !== url?.value)
      .map(({ at }) => ({
        what: `This URL is not the one in ${nameOf(url)}.`,
        remedy: 'Keep one of them, or define two servers.',
        at,
      })),
    ...typeFaults(entry, url),
  ];
}

function typeFaults(entry: RawEntry, url: Said | undefined): Fault[] {
  const types = typesIn(entry);
  const implied = impliedBy(entry);
  const misfits = types.filter(({ value }) => contradict(meaningOf(value), implied));
  if (misfits.length > 0) return misfits.map((type) => misfit(type, implied, url));
  const [first, second] = types;
  if (first === undefined || second === undefined || !contradict(meaningOf(first.value), meaningOf(second.value))) {
    return [];
  }
  return [{ what: `This is not the transport in ${nameOf(first)}.`, remedy: 'Keep one of them.', at: second.at }];
}

function misfit(type: Said, implied: ReturnType<typeof impliedBy>, url: Said | undefined): Fault {
  const { at } = type;
  if (implied === 'http' && meaningOf(type.value) === 'sse') {
    const what = 'This type does not match "httpUrl", which means Streamable HTTP.';
    return { what, remedy: 'For SSE, write "url" instead of "httpUrl".', at };
  }
  const present = url === undefined ? 'command' : 'url';
  const what = `This type does not match a server with a ${present}.`;
  return { what, remedy: `Remove ${nameOf(type)}: ${nameOf(url ?? { at: ['command'] })} already implies it.`, at };
}

function nameOf(said: Pick<Said, 'at'> | undefined): string {
  return `"${said?.at.join('.') ?? ''}"`;
}
