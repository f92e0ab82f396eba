import { join } from 'node:path';
import { readPageFiles } from '../../../page/server/page-files.js';
import { servePage } from '../../../page/server/serve-page.js';
import { hostNames } from '../../../serve/host/socket-names.js';
import type { Call } from '../../frame/command.js';
import { watchInterrupts } from '../../frame/interrupts.js';
import { namedHost } from '../../frame/named-host.js';
import { hasBrowser, type OpeningBrowser, openBrowser } from '../../frame/open-browser.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { createPageSource } from './page-source.js';

/** The name of the files of the page, which the build puts beside this one. */
declare const __PAGE__: string;

const highestPort = 65_535;

/** `mcp-workbench page [--port N] [--no-browser]`. Serves until Ctrl-C; starts no server. */
export async function runPage(call: Call): Promise<ExitCode> {
  const { flag, value, output } = call;
  const port = value('port') === undefined ? undefined : Number(value('port'));
  if (port !== undefined && (!Number.isSafeInteger(port) || port < 1 || port > highestPort))
    return output.fail(usageFailure(`--port needs a number from 1 to ${highestPort}, not '${value('port')}'.`));
  const source = createPageSource(call);
  // A configuration with faults is reported here, not in the browser.
  await source.configuration();
  const files = await readPageFiles((ending) => join(import.meta.dirname, `${__PAGE__}.${ending}`));
  const { signal, release } = watchInterrupts('');
  const { shared: ownHost } = hostNames(value('host-name'));
  const page = await servePage({ source, files, port, host: namedHost(call), ownHost });
  let browser: OpeningBrowser | undefined;
  try {
    // Ctrl-C came while it was being started.
    if (signal.aborted) return exitCodes.ok;
    output.print(page.address);
    output.talk('This address is for you alone: it has a key. Ctrl-C ends the page.');
    if (!flag('no-browser')) browser = open(page.address, call);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return exitCodes.ok;
  } finally {
    browser?.close();
    page.close();
    release();
  }
}

function open(address: string, { computer, output }: Call): OpeningBrowser | undefined {
  const explain = () => output.talk('No browser has opened the page: open the address above.');
  if (hasBrowser(computer)) return openBrowser(address, computer, explain);
  explain();
  return undefined;
}
