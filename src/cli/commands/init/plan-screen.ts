import type { Computer } from '../../../platform/computer.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import { displayWidth, padToWidth } from '../../../text/display-width.js';
import { plural } from '../../frame/screen/amounts.js';
import { namesOf } from '../../frame/screen/names.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { noBreak, unbroken, wrapped } from '../../frame/screen/wrapped.js';

const mostNames = 40;

/** What would be written. */
export function printPlan(plan: SetupPlan, path: string, computer: Computer, output: Output): void {
  const file = shortPath(path, computer.home);
  const count = plan.toolboxes.reduce((sum, { servers }) => sum + servers.length, 0);
  output.print('');
  if (plan.existing === undefined) output.print(`Would write ${file}`);
  else {
    output.printText(
      `${file} has ${plural(plan.existing, 'toolbox')} already. New: ${count === 0 ? 'nothing' : plural(count, 'server')}.`,
    );
    if (count > 0) output.print('Would add:');
  }
  const width = (texts: readonly string[]) => Math.max(0, ...texts.map(displayWidth));
  const nameWidth = width(plan.toolboxes.map(({ name }) => name));
  const countWidth = width(plan.toolboxes.map(({ servers }) => plural(servers.length, 'server')));
  for (const { name, servers, project } of plan.toolboxes) {
    const size = padToWidth(plural(servers.length, 'server'), countWidth);
    const head = `${padToWidth(name, nameWidth)}   ${size}   `;
    const where = project === undefined ? '' : ` (works in ${shortPath(project, computer.home)})`;
    const names = namesOf(servers.map((server) => server.name));
    output.print(
      wrapped(unbroken(head) + names + where, output.width, 2, displayWidth(head) + 2).replaceAll(noBreak, ' '),
    );
  }
  printNotes(plan, output);
}

/** What else there is to know about the servers. */
export function printNotes(
  { secrets, inherited, toolboxes, leftOut, perSession, inTurns }: SetupPlan,
  output: Output,
): void {
  const inputs = toolboxes.flatMap(({ servers }) =>
    servers.flatMap(({ name, inputs: asked }) => asked.map(({ variable }) => ({ name, variable }))),
  );
  const lines = [
    ...secretLines(secrets),
    ...inputs
      .slice(0, mostNames)
      .map(
        ({ name, variable }) =>
          `${name} needs ${variable} (VS Code asked for it); until it is set, only ${name} is unavailable.`,
      ),
    ...inherited
      .slice(0, mostNames)
      .map(
        ({ server, variables }) =>
          `${server} reads ${variables.join(' and ')} from the environment; env_vars passes on what is set.`,
      ),
    ...(perSession.length > 0
      ? [`${namesOf(perSession)}: "perSession" gives every session its own process, with its own browser or terminal.`]
      : []),
    ...(inTurns.length > 0
      ? [`${namesOf(inTurns)}: "maxConcurrentCalls" is 1, because it loses one of two concurrent writes.`]
      : []),
    ...(leftOut.length > 0
      ? [
          `Left out, because only clients use them: ${namesOf(leftOut.map(({ key, servers }) => `${key} (${namesOf(servers)})`))}.`,
        ]
      : []),
  ];
  if (lines.length > 0) output.print('');
  for (const line of lines) output.print(wrapped(line, output.width, 2));
}

function secretLines(secrets: SetupPlan['secrets']): string[] {
  if (secrets.length === 0) return [];
  const names = namesOf(secrets.map(({ server, what }) => `${server} ${what}`));
  const [are, move] = secrets.length === 1 ? ['secret is', 'It moves'] : ['secrets are', 'They move'];
  return [
    `${secrets.length} ${are} in plain text (${names}).`,
    `${move} to secrets.env beside it, readable by you alone.`,
  ];
}

/** The same for programs. No value of an entry is in it. */
export function planFacts(plan: SetupPlan, path: string): object {
  return {
    config: path,
    isNew: plan.existing === undefined,
    sources: plan.found.sources.map((source) => ({
      client: source.client.name,
      file: source.file.path,
      servers: [...plan.fates]
        .filter(([server]) => server.source === source)
        .map(([{ found }, fate]) => ({
          name: found.name,
          ...(found.project !== undefined && { project: found.project }),
          is: fate.kind,
          as: fate.kind === 'there' ? fate.served.server : fate.server.name,
        })),
    })),
    unreadable: plan.found.unreadable.map(({ client, path: file, problem }) => ({
      client: client.name,
      file,
      problem,
    })),
    left: plan.untranslated.map(({ source, found, problem }) => ({
      client: source.client.name,
      name: found.name,
      reason: problem,
    })),
    toolboxes: plan.toolboxes.map(({ name, isNew, servers, project }) => ({
      name,
      isNew,
      servers: servers.map((server) => server.name),
      ...(project !== undefined && { project }),
    })),
    secrets: plan.secrets.map(({ name, server, what }) => ({ name, server, what })),
    inputs: plan.toolboxes.flatMap(({ servers }) =>
      servers.flatMap(({ name, inputs }) => inputs.map((input) => ({ server: name, ...input }))),
    ),
    variables: plan.inherited,
    perSession: plan.perSession,
    inTurns: plan.inTurns,
    leftOut: plan.leftOut,
  };
}
