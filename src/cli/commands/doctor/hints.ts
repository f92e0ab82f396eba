import type { Config, ServerConfig } from '../../../config/config.js';
import { overviewOf } from '../../../config/overview.js';
import { textsOf } from '../../../session/introduction/instructions.js';
import { keepsState, losesConcurrentWrites } from '../../../setup/stateful-package.js';
import { tokenCount } from '../../frame/screen/amounts.js';
import { packagesOf } from './packages.js';
import type { ServerReport } from './server-report.js';

/** What works, but is unwise. */
export interface Hint {
  readonly kind: 'unpinned' | 'state' | 'node' | 'descriptions' | 'tokens';
  /** Of one server; the others are about all of it. */
  readonly toolbox?: string;
  readonly server?: string;
  readonly text: string;
}

const oldestGoodNode = 22;
const manyTokens = 15_000;

export function hintsFor(config: Config, reports: readonly ServerReport[], node: string): Hint[] {
  const servers = [...config.toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  return [
    ...servers.filter(({ disabled }) => !disabled).flatMap(unpinned),
    ...(config.shared ? servers.filter(({ disabled, perSession }) => !disabled && !perSession).flatMap(stateful) : []),
    ...servers.filter(({ disabled }) => !disabled).flatMap(losing),
    ...reports.flatMap(large),
    ...cutDescriptions(config),
    ...(Number.parseInt(node, 10) < oldestGoodNode
      ? [{ kind: 'node' as const, text: `Node.js ${node} no longer gets updates; ${oldestGoodNode} or later does` }]
      : []),
  ];
}

/** A package runner runs whatever version is newest, unless one is named. */
function unpinned({ toolbox, name, target }: ServerConfig): Hint[] {
  const loose = (packagesOf(target) ?? []).filter((spec) => /^(?:@[\w.-]+\/)?[\w.-]+(?:@latest)?$/.test(spec));
  return loose.slice(0, 1).map((spec) => ({
    ...{ kind: 'unpinned', toolbox, server: name },
    text: `runs whatever version of ${spec.replace(/@latest$/, '')} is newest; name one: ${spec.replace(/@latest$/, '')}@VERSION`,
  }));
}

/** Its entry does not say that it keeps something which every session has to have for itself. */
function stateful({ toolbox, name, target }: ServerConfig): Hint[] {
  const known = (packagesOf(target) ?? []).filter(keepsState);
  return known.slice(0, 1).map(() => ({
    ...{ kind: 'state', toolbox, server: name },
    text: 'sessions may share it, with its browser or terminal; "perSession": true gives each its own',
  }));
}

function losing({ toolbox, name, target, limits }: ServerConfig): Hint[] {
  const known = limits.maxConcurrentCalls > 1 ? (packagesOf(target) ?? []).filter(losesConcurrentWrites) : [];
  return known.slice(0, 1).map(() => ({
    ...{ kind: 'state', toolbox, server: name },
    text: 'it loses one of two concurrent writes; "maxConcurrentCalls": 1 makes calls wait for each other',
  }));
}

function large(report: ServerReport): Hint[] {
  if (report.state !== 'well' || report.tokens < manyTokens) return [];
  const text = `its tools have ${tokenCount(report.tokens)} tokens; toolFilters leaves out tools that you do not need`;
  return [{ kind: 'tokens', toolbox: report.toolbox, server: report.server, text }];
}

/** The texts that clients read at the start have room for 2,000 characters. */
function cutDescriptions(config: Config): Hint[] {
  const overview = overviewOf(config);
  const { described, inInstructions } = textsOf(overview);
  const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  const whole = line(`${described} ${inInstructions}`);
  const cut = overview.toolboxes.filter(({ description = '' }) => !whole.includes(line(description)));
  if (cut.length === 0) return [];
  const names = cut.map(({ name }) => name).join(', ');
  return [
    { kind: 'descriptions', text: `the descriptions of toolboxes are too long, and agents read only a part: ${names}` },
  ];
}
