import type { Computer } from '../../platform/computer.js';
import { findServers } from '../../setup/find-servers.js';
import { planSetup } from '../../setup/setup-plan.js';
import { listed, plural } from '../frame/screen/amounts.js';

/**
 * The servers that `init` would find, on one line; undefined if there is none. Those of files of the project, which `init` leaves out
 * unless the user wants them, are counted apart.
 */
export function summarizeServers(computer: Computer): { readonly count: number; readonly line: string | undefined } {
  const { sources, unreadable } = findServers(computer);
  const countOf = (some: typeof sources) =>
    planSetup({ sources: some, unreadable }, { config: undefined, secretOf: () => undefined, computer })
      .differentServers;
  const [own, project] = [false, true].map((shared) => sources.filter(({ isShared }) => isShared === shared));
  const count = countOf(own ?? []);
  const inProject = countOf(project ?? []);
  const withEntries = (own ?? []).filter(({ entries }) => entries.length > 0);
  const titles = listed([...new Set(withEntries.map(({ client }) => client.title))]);
  const parts = [
    ...(count === 0 ? [] : [`${plural(count, 'server')} in ${titles}`]),
    ...(inProject === 0
      ? []
      : [`${plural(inProject, 'server')} in files of this directory, which others may have written`]),
  ];
  return { count, line: parts.length === 0 ? undefined : `Found ${parts.join(', and ')}.` };
}
