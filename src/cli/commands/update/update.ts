import { isSamePackage } from '../../../contract/package-version.js';
import { readLockOf } from '../../../inspect/lock-changes.js';
import { silentLog } from '../../../platform/log.js';
import { ownCommand } from '../../../text/own-command.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { eachAtMost } from '../../frame/each-at-most.js';
import { watchInterrupts } from '../../frame/interrupts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import type { Output } from '../../frame/screen/output.js';
import { trustedConfiguration } from '../../frame/trusted-configuration.js';
import { only } from '../../frame/with-session.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { createPackageUpdates } from './package-updates.js';

/** What became of one server. */
interface Updated {
  readonly toolbox: string;
  readonly server: string;
  readonly package: string;
  readonly version?: string;
  readonly before?: string | undefined;
  /** Why no newer version was looked up, although nothing is wrong. */
  readonly why?: string;
  readonly problem?: string;
  /** This version is started until the other is approved. */
  readonly approved?: string;
  readonly approve?: string;
}

/** `mcp-workbench update [TOOLBOX [SERVER]]`: asks npm for newer versions of the packages that servers are started from. */
export async function runUpdate(call: Call): Promise<ExitCode> {
  const { words, value, computer, output } = call;
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  const { toolbox, server } = findAddress(words, configured.toolboxes, 'update', sameConfig(call));
  const configuration = await trustedConfiguration(call, silentLog);
  const config = only(await configuration.load(), toolbox?.name, server?.name);
  const servers = [...config.toolboxes.values()].flatMap((box) => [...box.servers.values()]);
  const locked = await readLockOf(configured.path, computer);
  const { signal, release } = watchInterrupts('Interrupted.');
  const updates = await createPackageUpdates(computer, configured.namedFile);
  try {
    const updated = await eachAtMost(
      servers.filter((one) => !one.disabled),
      signal,
      async (one): Promise<Updated[]> => {
        const found = updates.packageOf(one);
        const { toolbox: box, name, lock } = one;
        if (found === undefined) return [];
        const names = { toolbox: box, server: name, package: found.spec };
        if (found.why !== undefined) return [{ ...names, why: found.why }];
        output.talk(`${name}: asking npm for ${found.spec}`);
        const outcome = await updates.update(one, signal);
        signal.throwIfAborted();
        if ('problem' in outcome) return [{ ...names, problem: outcome.problem }];
        const { before, after } = outcome;
        const approved = lock === 'strict' ? locked.packageOf({ toolbox: box, server: name }) : undefined;
        const isHeld = approved !== undefined && !isSamePackage(approved, after);
        const approve = isHeld && {
          approved: approved.version,
          approve: ownCommand('approve', [box, name], sameConfig(call)),
        };
        return [{ ...names, package: after.name, version: after.version, before: before?.version, ...approve }];
      },
    );
    return show(updated.flat(), output);
  } finally {
    await updates.close();
    release();
  }
}

function show(all: readonly Updated[], output: Output): ExitCode {
  output.document({ servers: all });
  if (all.length === 0) output.print('No server here is started by npx.');
  output.printRows(all.map((one) => ({ cells: [one.toolbox, one.server, textOf(one, output)] })));
  return all.some(({ problem }) => problem !== undefined) ? exitCodes.serverFailing : exitCodes.ok;
}

function textOf(one: Updated, output: Output): string {
  const { package: name, version, before, why, problem, approved, approve } = one;
  if (problem !== undefined) return `${output.mark('bad')} ${name}: ${problem}`;
  if (why !== undefined) return `${output.signs.dash} ${name}: ${why}`;
  if (approve !== undefined)
    return `${output.mark('warning')} ${name} ${version} is there; the lock keeps ${approved}: ${approve}`;
  if (before === version) return `${output.mark('well')} ${name} ${version}, the newest`;
  const was = before === undefined ? '' : `, instead of ${before}`;
  return `${output.mark('well')} ${name} ${version} from its next start on${was}`;
}
