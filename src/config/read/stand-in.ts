import { isDeepStrictEqual } from 'node:util';
import { WorkbenchError } from '../../contract/errors.js';
import { maxConfigTokens } from '../../limits.js';
import type { Computer } from '../../platform/computer.js';
import { type Log, silentLog } from '../../platform/log.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import { readConfigFile } from '../files/config-file.js';
import { configCandidates } from '../files/find.js';
import { type Configuration, type FileFault, type FileText, readConfiguration } from './configuration.js';
import { findFile } from './find-file.js';
import { type LastGood, readLastGood } from './last-good.js';
import { fileText, restrictedBy } from './restrictions.js';
import { hasMoreTokens, wordsIn } from './syntax.js';

/** Of a fault in instructions, which have 2,000 characters for everything. */
const longestInInstructions = 700;
/** In an answer of `open_toolbox`, beside the path of the file, which a fault has twice. */
const longestInAnswers = 600;

/**
 * What a new session serves while its file has faults: the last text of the file that loaded, but as strict as the faulty one can be
 * read; or, if none is kept, no toolbox and the reason. `message` has the faults.
 */
export async function standInFor(
  message: string,
  named: string | undefined,
  computer: Computer,
  log: Log,
): Promise<Configuration> {
  const file = await faultyFile(named, computer);
  // Trust covers one text of a file, and that is the faulty one.
  const last = file.isLocal || file.isRelative ? undefined : readLastGood(computer, file.path);
  const earlier = last && (await readEarlier(file, last, computer, log));
  const fix = fixOf(file, computer);
  return earlier === undefined || last === undefined
    ? withoutToolboxes(message, file, fix)
    : withEarlierText(
        message,
        earlier,
        `Until it is fixed, its last text that loaded is used, of ${dateText(last.at)}.`,
        fix,
      );
}

type Fix = Pick<FileFault, 'restrict' | 'hasWords'>;

/** How the fixed file is compared with the faulty text. */
function fixOf({ text: faulty = '' }: FaultyText, computer: Computer): Fix {
  return {
    async restrict(fixed) {
      const { source, file } = fixed;
      const strict = file && fileText(restrictedBy(file, faulty));
      if (source === undefined || file === undefined || strict === undefined) return fixed;
      return strict === fileText(file) ? fixed : readConfiguration({ ...source, text: strict }, computer, silentLog);
    },
    hasWords(text) {
      if ([faulty, text].some((one) => hasMoreTokens(one, maxConfigTokens))) return false;
      return isDeepStrictEqual(wordsIn(text), wordsIn(faulty));
    },
  };
}

interface FaultyText extends Pick<FileText, 'path' | 'isRelative'> {
  /** Undefined if it is no text. */
  readonly text: string | undefined;
  readonly isLocal: boolean;
  /** On a file in the working directory that is not used. */
  readonly notice: string | undefined;
}

async function faultyFile(named: string | undefined, computer: Computer): Promise<FaultyText> {
  const search = { ...computer, ...(named !== undefined && { path: named }) };
  const local = configCandidates(search).find(({ needsTrust }) => needsTrust)?.path;
  const { file = readConfigFile(search), notice } = await findFile(named, computer, () => {}).catch(() => nothing);
  const { path = '', isRelative } = file ?? {};
  const text = file !== undefined && 'text' in file ? file.text : undefined;
  return { path, text, notice, isLocal: path === local, ...(isRelative && { isRelative }) };
}

const nothing: Awaited<ReturnType<typeof findFile>> = { file: undefined, notice: undefined };

/** Undefined if this version cannot read it any more. */
async function readEarlier(
  { path, isRelative, text: faulty = '', notice }: FaultyText,
  { text }: LastGood,
  computer: Computer,
  log: Log,
): Promise<Configuration | undefined> {
  const read = (earlier: string, its: Log) =>
    readConfiguration({ path, text: earlier, ...(isRelative && { isRelative }) }, computer, its);
  try {
    const { file } = await read(text, silentLog);
    if (file === undefined) return undefined;
    const strict = fileText(restrictedBy(file, faulty));
    const earlier = await read(strict === fileText(file) ? text : strict, log);
    return withOverviewNotice(earlier, notice);
  } catch {
    return undefined;
  }
}

function withOverviewNotice(earlier: Configuration, notice: string | undefined): Configuration {
  return {
    ...earlier,
    overview: { ...earlier.overview, notice },
    forUser: (user, its) => withOverviewNotice(earlier.forUser(user, its), notice),
  };
}

function withEarlierText(message: string, earlier: Configuration, meanwhile: string, fix: Fix): Configuration {
  const { source, overview } = earlier;
  const told = (length: number) => `${shorten(printableLine(message), length)} ${meanwhile}`;
  const notice = told(longestInAnswers + 2 * (source?.path.length ?? 0));
  const notices = [overview.notice, told(longestInInstructions)].filter((one) => one !== undefined);
  return {
    ...earlier,
    source: source && { ...source, notice },
    overview: { ...overview, notice: notices.join('\n') },
    fault: {
      ...fix,
      message,
      meanwhile,
      hasEarlier: true,
      renew: (next) => withEarlierText(next, earlier, meanwhile, fix),
    },
    load: async (assembled) => ({ ...(await earlier.load(assembled)), notice }),
    forUser: (user, its) => withEarlierText(message, earlier.forUser(user, its), meanwhile, fix),
  };
}

function withoutToolboxes(message: string, file: FaultyText, fix: Fix): Configuration {
  const { path, notice } = file;
  const meanwhile = 'Until it is fixed, there are no servers: no earlier text of it is kept.';
  const told = `${shorten(printableLine(message), longestInInstructions)} ${meanwhile}`;
  return {
    source: { path, text: '' },
    overview: {
      configFile: path,
      toolboxes: [],
      notice,
      fault: `${told}\nopen_toolbox and use_tool read the file again with each call.`,
    },
    file: undefined,
    warnings: [],
    shared: false,
    mayWarn: false,
    fault: { ...fix, message, meanwhile, hasEarlier: false, renew: (next) => withoutToolboxes(next, file, fix) },
    files: () => [],
    load: () => Promise.reject(new WorkbenchError('CONFIG_INVALID', message)),
    forUser: () => withoutToolboxes(message, file, fix),
  };
}

/** In the time of this computer: `2026-11-17 14:03`. */
function dateText(ms: number): string {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16).replace('T', ' ');
}
