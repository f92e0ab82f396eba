import type { ServerConfig, StdioTarget } from '../../../config/config.js';
import { findConfiguration } from '../../../config/read/configuration.js';
import { messageOf } from '../../../contract/errors.js';
import { silentLog } from '../../../platform/log.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { eachAtMost } from '../../frame/each-at-most.js';
import { watchInterrupts } from '../../frame/interrupts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import type { Output } from '../../frame/screen/output.js';
import { only } from '../../frame/with-session.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { createPackageUpdates } from './package-updates.js';

/** What became of one server. */
interface Updated {
  readonly toolbox: string;
  readonly server: string;
  /** Undefined if it is not the workbench that looks up its package. */
  readonly package?: string;
  readonly version?: string;
  readonly before?: string | undefined;
  /** The configuration names this version. */
  readonly isFixed?: true;
  readonly problem?: string;
}

/** `mcp-workbench update [TOOLBOX [SERVER]]`: asks npm for newer versions of the packages that servers are started from. */
export async function runUpdate(call: Call): Promise<ExitCode> {
  const { words, value, computer, output } = call;
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  const { toolbox, server } = findAddress(words, configured.toolboxes, 'update', sameConfig(call));
  const configuration = await findConfiguration(value('config'), computer, silentLog);
  const config = only(await configuration.load(), toolbox?.name, server?.name);
  const servers = [...config.toolboxes.values()].flatMap((box) => [...box.servers.values()]);
  const { signal, release } = watchInterrupts('Interrupted.');
  const updates = await createPackageUpdates(computer, configured.namedFile);
  try {
    const found = await eachAtMost(
      servers.filter((one) => !one.disabled),
      signal,
      async (one): Promise<Updated[]> => {
        const target = stdioOf(one);
        const names = { toolbox: one.toolbox, server: one.name };
        if (target === undefined || !updates.isResolved(target)) return [];
        const spec = updates.specOf(target);
        if (updates.isFixed(target)) return [{ ...names, package: spec, isFixed: true }];
        output.talk(`${one.name}: asking npm for ${spec}`);
        const outcome = await updates.update(target, signal).catch((error: unknown) => ({ problem: messageOf(error) }));
        signal.throwIfAborted();
        if ('problem' in outcome) return [{ ...names, package: spec, problem: outcome.problem }];
        const { before, after } = outcome;
        return [{ ...names, package: after.name, version: after.version, before: before?.version }];
      },
    );
    return show(found.flat(), output);
  } finally {
    await updates.close();
    release();
  }
}

/** As far as it is known without running `envCommand`. */
function stdioOf({ target }: ServerConfig): StdioTarget | undefined {
  const known = target.kind === 'late' ? target.draft : target;
  return known.kind === 'stdio' ? known : undefined;
}

function show(all: readonly Updated[], output: Output): ExitCode {
  output.document({ servers: all });
  if (all.length === 0) output.print('No server here is started by npx.');
  output.printRows(all.map((one) => ({ cells: [one.toolbox, one.server, textOf(one, output)] })));
  return all.some(({ problem }) => problem !== undefined) ? exitCodes.serverNotWell : exitCodes.well;
}

function textOf({ package: name, version, before, isFixed, problem }: Updated, output: Output): string {
  if (problem !== undefined) return `${output.mark('bad')} ${name}: ${problem}`;
  if (isFixed) return `${output.signs.dash} ${name}: the configuration names this version`;
  if (before === version) return `${output.mark('well')} ${name} ${version}, the newest`;
  const was = before === undefined ? '' : `, instead of ${before}`;
  return `${output.mark('well')} ${name} ${version} from its next start on${was}`;
}
