import type { Group } from '../../../setup/grouping/propose-groups.js';
import { displayWidth, padToWidth } from '../../../text/display-width.js';
import { plural } from '../../frame/screen/amounts.js';
import { namesOf } from '../../frame/screen/names.js';
import type { Output } from '../../frame/screen/output.js';
import { noBreak, unbroken, wrapped } from '../../frame/screen/wrapped.js';

/** The proposed toolboxes, each with its servers and what the agent would read about it. */
export function printGroups(groups: readonly Group[], moved: number, output: Output): void {
  const count = groups.reduce((sum, { servers }) => sum + servers.length, 0);
  output.print(
    moved === 0
      ? `${plural(groups.length, 'toolbox')} would be described:`
      : `${plural(groups.length, 'toolbox')} for ${plural(count, 'server')}, by what their tools do:`,
  );
  const width = Math.max(...groups.map(({ toolbox }) => displayWidth(toolbox)));
  for (const { toolbox, servers, description } of groups) {
    const head = `${padToWidth(toolbox, width)}   `;
    const names = namesOf(servers.map(({ server }) => server));
    output.print(wrapped(unbroken(head) + names, output.width, 2, width + 5).replaceAll(noBreak, ' '));
    if (description !== undefined) output.print(wrapped(description, output.width, width + 5));
  }
}

/** The same for programs. */
export function groupFacts(groups: readonly Group[]): object[] {
  return groups.map(({ toolbox, description, servers }) => ({
    name: toolbox,
    ...(description !== undefined && { description }),
    servers: servers.map(({ toolbox: from, server }) => ({ name: server, from })),
  }));
}
