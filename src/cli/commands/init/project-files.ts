import type { FoundServers } from '../../../setup/find-servers.js';
import { planSetup } from '../../../setup/setup-plan.js';
import { ownCommand } from '../../../text/own-command.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { listed, plural } from '../../frame/screen/amounts.js';
import { namesOf } from '../../frame/screen/names.js';
import { canAsk, confirm } from '../../frame/screen/prompt.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { setupTarget } from './setup-target.js';

/**
 * Leaves the files of the project in the working directory out, unless the user wants them: others may have written them. On a
 * terminal that is a question; what they would run is shown before anything is written.
 */
export async function withoutProject(
  find: () => FoundServers,
  command: string,
  call: Call,
): Promise<() => FoundServers> {
  const { flag, output } = call;
  if (flag('project')) return find;
  const { files, servers } = await newInProject(find(), call);
  if (servers.length === 0) return find;
  const [they, them] = servers.length === 1 ? ['it', 'it'] : ['they', 'them'];
  const what = `${plural(servers.length, 'server')} of ${listed(files)} (${namesOf(servers)})`;
  if (!flag('yes') && !flag('dry-run') && output.width !== undefined && canAsk()) {
    output.say(`This directory has ${what}. Others may have written ${them}; what ${they} would run is shown next.`);
    if (await confirm(`Take ${them}, too?`)) return find;
  } else {
    const [name = '', ...words] = command.split(' ');
    const again = ownCommand(name, words, ['--project', ...sameConfig(call)]);
    output.say(`Left out: ${what}, which others may have written. With ${them}: ${again}`);
  }
  return () => {
    const { sources, unreadable } = find();
    return { sources: sources.filter(({ isShared }) => !isShared), unreadable };
  };
}

/** The servers of the project that the configuration does not have, and the files that they are in. */
async function newInProject(
  { sources }: FoundServers,
  { value, computer }: Call,
): Promise<{ readonly files: readonly string[]; readonly servers: readonly string[] }> {
  const shared = sources.filter(({ isShared, entries }) => isShared && entries.length > 0);
  if (shared.length === 0) return { files: [], servers: [] };
  const { config } = await setupTarget(value('config'), computer, { say() {} });
  const found = { sources: shared, unreadable: [] };
  const { fates, untranslated } = planSetup(found, { config, secretOf: () => undefined, computer });
  const fresh = [...fates].flatMap(([{ source, found: entry }, { kind }]) =>
    kind === 'new' ? [{ source, name: entry.name }] : [],
  );
  const all = [...fresh, ...untranslated.map(({ source, found: entry }) => ({ source, name: entry.name }))];
  return {
    files: [...new Set(all.map(({ source }) => shortPath(source.file.path, computer.home)))],
    servers: all.map(({ name }) => name),
  };
}
