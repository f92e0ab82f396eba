import { WorkbenchError } from '../errors.js';
import { isRecord } from '../json.js';
import { shorten } from '../shorten.js';
import type { OpenToolboxResult, Tool, ToolInfo } from '../types.js';
import { connectFailed, reasonOf } from './failures.js';
import type { Listing, Supervisor } from './supervisor.js';
import type { OpenOptions, Toolbox } from './toolbox.js';
import { StillWaiting, within } from './within.js';

const longestInstructions = 2_000;

type Outcome =
  | { readonly is: 'listed'; readonly listing: Listing }
  | { readonly is: 'starting' }
  | { readonly is: 'unavailable'; readonly reason: string };

interface Opened {
  readonly server: string;
  readonly outcome: Outcome;
}

/** Wakes all servers at once and waits, within limits, for their tools. The order is the configuration's, not the race's. */
export async function openToolbox(toolbox: Toolbox, limitMs: number, options: OpenOptions): Promise<OpenToolboxResult> {
  const enabled = [...toolbox.servers].filter(([, supervisor]) => !supervisor.server.disabled);
  const ready: string[] = [];
  const opened = await Promise.all(
    enabled.map(async ([server, supervisor]): Promise<Opened> => {
      const outcome = await outcomeOf(supervisor, limitMs, options);
      if (outcome.is === 'listed') ready.push(server);
      const message = `${ready.length} of ${enabled.length} ready: ${ready.join(', ')}`;
      options.onProgress?.({ ready: ready.length, total: enabled.length, message });
      return { server, outcome };
    }),
  );
  if (!opened.some(({ outcome }) => outcome.is !== 'unavailable')) throw nothingReached(toolbox, opened);
  return describe(toolbox, opened);
}

async function outcomeOf(supervisor: Supervisor, limitMs: number, { signal, agent }: OpenOptions): Promise<Outcome> {
  try {
    return { is: 'listed', listing: await within(limitMs, supervisor.list(agent), signal) };
  } catch (error) {
    return error instanceof StillWaiting ? { is: 'starting' } : { is: 'unavailable', reason: reasonOf(error) };
  }
}

function nothingReached(toolbox: Toolbox, opened: readonly Opened[]): WorkbenchError {
  const reasons = new Map(
    opened.map(({ server, outcome }) => [server, outcome.is === 'unavailable' && outcome.reason]),
  );
  const lines = [...toolbox.servers.keys()].map((server) => {
    const reason = reasons.get(server) || 'it is disabled in the configuration';
    return connectFailed({ toolbox: toolbox.config.name, server }, reason).message;
  });
  return new WorkbenchError('TOOLBOX_UNAVAILABLE', lines.join('\n'), {
    place: { toolbox: toolbox.config.name },
    hint: 'Mend the cause, then call open_toolbox again: it tries each server anew.',
  });
}

function describe({ config }: Toolbox, opened: readonly Opened[]): OpenToolboxResult {
  const result: OpenToolboxResult = {
    toolbox: config.name,
    description: config.description,
    servers_connected: 0,
    tools: [],
  };
  const unavailable: { server: string; reason: string }[] = [];
  const starting: string[] = [];
  const notes: string[] = [];
  const instructions: { server: string; text: string }[] = [];
  for (const { server, outcome } of opened) {
    if (outcome.is === 'unavailable') unavailable.push({ server, reason: outcome.reason });
    if (outcome.is === 'starting') starting.push(server);
    if (outcome.is !== 'listed') continue;
    result.servers_connected++;
    for (const tool of outcome.listing.tools.tools) {
      result.tools.push(toolInfo(tool, config.name, server));
      if (needsTasks(tool))
        notes.push(`Tool '${tool.name}' of server '${server}' can only be called as a task, which is not supported.`);
    }
    const text = outcome.listing.instructions?.trim();
    if (text) instructions.push({ server, text: shorten(text, longestInstructions) });
  }
  if (unavailable.length > 0) result.unavailable = unavailable;
  if (starting.length > 0) {
    result.starting = starting;
    notes.push(`Still starting: ${starting.join(', ')}. Call open_toolbox again in a moment to see their tools.`);
  }
  if (notes.length > 0) result.notes = notes;
  if (instructions.length > 0) result.instructions = instructions;
  return result;
}

/** Whether a tool can only be called through the tasks extension. */
export function needsTasks({ execution }: Tool): boolean {
  return isRecord(execution) && execution['taskSupport'] === 'required';
}

function toolInfo(tool: Tool, toolbox: string, server: string): ToolInfo {
  return { ...tool, toolbox, server };
}
