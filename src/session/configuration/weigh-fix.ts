import type { Config, ServerConfig } from '../../config/config.js';
import type { Configuration } from '../../config/read/configuration.js';
import { type KnownServers, learnRules } from './known-servers.js';
import { type EditToWeigh, type WeighedEdit, weighEdit } from './weigh-edit.js';

/**
 * An edit in a session that has started with a faulty file. What was served until then or the faulty text denied, asked about or disabled
 * waits like any edit that loosens it. `strict`: the edited file with what the faulty text forbids. `isFirst`: it is the fix. `isAtOnce`: programs of the faulty
 * text are what a new session would have started, so where only its syntax was fixed, or nothing was served, they are started.
 */
export async function weighFix(
  edit: EditToWeigh,
  strict: Configuration,
  { isFirst, isAtOnce }: { readonly isFirst: boolean; readonly isAtOnce: boolean },
): Promise<WeighedEdit & { readonly known: KnownServers }> {
  const strictest = await strict.load();
  const known = learnRules(edit.known, strictest, strict.file);
  const isDisabledIn = (config: Config, { toolbox, name }: ServerConfig) =>
    config.toolboxes.get(toolbox)?.servers.get(name)?.disabled === true;
  const asksAbout = (server: ServerConfig) =>
    (isFirst && isDisabledIn(edit.current, server)) ||
    isDisabledIn(strictest, server) ||
    (!isAtOnce && edit.asksAbout(server));
  const weighed = weighEdit({ ...edit, known, asksAbout });
  return { ...weighed, known, ...(isAtOnce && { applied: [] }) };
}
