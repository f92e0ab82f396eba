import { displayWidth, padToWidth } from '../../../text/display-width.js';
import { plural, seconds, tokenCount } from '../../frame/screen/amounts.js';
import type { Row } from '../../frame/screen/columns.js';
import type { Output } from '../../frame/screen/output.js';
import { ruleLines } from '../../frame/screen/rule-words.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { changesText, packageText } from '../../state/state-text.js';
import type { Hint } from './hints.js';
import type { ServerReport, UnwellServer, WellServer } from './server-report.js';

const detailIndent = 4;
const longestAligned = 24;

/** The commands that the report names. */
export interface DoctorCommands {
  /** Undefined if the hints are to be listed. */
  readonly hints: string | undefined;
  readonly doctor: (toolbox: string, server: string) => string;
  readonly approve: (toolbox: string, server: string) => string;
  /** Undefined unless one server is looked at: who disabled one of many knows why. */
  readonly enable: (toolbox: string, server: string) => string | undefined;
  /** What a model reads at the start of a session; undefined if only a part was checked. */
  readonly startTokens: number | undefined;
}

interface Findings {
  readonly reports: readonly ServerReport[];
  readonly hints: readonly Hint[];
}

/** The servers of each toolbox, then what it comes to. */
export function printReports({ reports, hints }: Findings, output: Output, commands: DoctorCommands): void {
  const toolboxes = [...new Set(reports.map((report) => report.toolbox))];
  const rows = toolboxes.flatMap((toolbox): (Row | string)[] => [
    { cells: [toolbox], isHeading: true },
    ...toolboxRows(
      reports.filter((report) => report.toolbox === toolbox),
      output,
      commands,
    ),
  ]);
  output.printRows(rows, {
    header: ['', 'start', 'answer', 'protocol', 'server', 'tools', 'tokens'],
    right: [2, 5, 6],
    flexible: [
      [4, 8],
      [0, 8],
    ],
  });
  output.print(wrapped(summaryOf(reports, commands.startTokens), output.width, 0));
  if (hints.length === 0) return;
  if (commands.hints !== undefined) {
    output.print(`${plural(hints.length, 'hint')}: ${commands.hints}`);
    return;
  }
  output.print('Hints');
  for (const { toolbox, server, text } of hints)
    output.print(wrapped([toolbox, server, text].filter(Boolean).join(' '), output.width, 2, detailIndent));
}

function toolboxRows(reports: readonly ServerReport[], output: Output, commands: DoctorCommands): (Row | string)[] {
  const width = Math.min(longestAligned, Math.max(...reports.map(({ server }) => displayWidth(server))));
  return reports.flatMap((report) => [
    rowOf(report, padToWidth(report.server, width), output, commands),
    ...packageRow(report, output),
    ...rulesRows(report, output),
    ...changesRow(report, output, commands),
  ]);
}

function changesRow(report: ServerReport, output: Output, { approve }: DoctorCommands): string[] {
  if (report.state !== 'well' || report.changed === undefined) return [];
  const text = changesText({ changed: report.changed, added: report.new ?? [] });
  const line = `${output.mark('warning')} ${text} since its tools were approved: ${approve(report.toolbox, report.server)}`;
  return [lineOf(line, output, detailIndent)];
}

function rowOf(report: ServerReport, name: string, output: Output, { doctor, enable }: DoctorCommands): Row | string {
  const { toolbox, server } = report;
  const withCommand = (text: string, command: string | undefined) =>
    command === undefined ? text : `${text}\n${' '.repeat(detailIndent)}${command}`;
  switch (report.state) {
    case 'well':
      return wellRow(name, report, output);
    case 'failed':
    case 'unauthorized':
      return unwellText(name, report, output);
    case 'disabled':
      return withCommand(`  ${name}  ${output.signs.dash} disabled`, enable(toolbox, server));
    case 'skipped':
      return withCommand(
        `  ${name}  ${output.mark('asleep')} not started: it may open a browser`,
        doctor(toolbox, server),
      );
  }
}

function wellRow(name: string, report: WellServer, output: Output): Row {
  const { startMs = 0, running, latencyMs, revision = '', software = '', tools, tokens } = report;
  const latency = latencyMs === undefined ? '' : `${latencyMs} ms`;
  return {
    indent: 2,
    cells: [
      name,
      `${output.mark('well')} ${running ? 'running' : seconds(startMs)}`,
      ...[latency, revision, software, String(tools), tokenCount(tokens)],
    ],
  };
}

function packageRow(report: ServerReport, output: Output): string[] {
  if (report.state !== 'well' || report.package === undefined) return [];
  return [lineOf(`from ${packageText(report.package, undefined, Date.now())}`, output, detailIndent)];
}

/** The effect of rules on its tools, and warnings about rules that match none. */
function rulesRows(report: ServerReport, output: Output): string[] {
  if (report.state !== 'well') return [];
  const { asks = [], denied = [], warnings = [] } = report;
  const ruled = ruleLines({ asks, denied }).map((line) => lineOf(line, output, detailIndent));
  return [...ruled, ...warnings.map((warning) => lineOf(`${output.mark('warning')} ${warning}`, output, detailIndent))];
}

/** What happened, then what the server wrote, then what to do. */
function unwellText(name: string, { state, kind, reason, afterMs, advice }: UnwellServer, output: Output): string {
  const [what = '', ...details] = reason.split('; ');
  const mark = output.mark(state === 'unauthorized' ? 'warning' : 'bad');
  const after = kind === 'crashed' ? ` after ${seconds(afterMs)}` : '';
  const lines = [lineOf(`${name}  ${mark} ${what}${after}`, output, 2)];
  if (details.length > 0) lines.push(lineOf(details.join('; '), output, detailIndent));
  if (advice !== undefined) lines.push(lineOf(`${output.signs.talk} ${advice}`, output, detailIndent));
  return lines.join('\n');
}

function lineOf(text: string, { width }: Output, indent: number): string {
  return wrapped(text, width, indent, Math.max(indent, detailIndent));
}

/** `9 of 12 servers are ok, 1 needs a login, 2 are failing. About 14 k tokens of tools, 700 at start.` */
function summaryOf(reports: readonly ServerReport[], startTokens: number | undefined): string {
  const count = (state: ServerReport['state']) => reports.filter((report) => report.state === state).length;
  const tried = reports.length - count('disabled') - count('skipped');
  if (count('disabled') === reports.length) return 'Nothing was started: disabled in the configuration.';
  const parts = [
    `${count('well')} of ${plural(tried, 'server')} ${verb(tried === 1 ? 1 : count('well'), 'is', 'are')} ok`,
  ];
  const [refused, failing] = [count('unauthorized'), count('failed')];
  if (refused > 0) parts.push(`${refused} ${verb(refused, 'needs', 'need')} a login`);
  if (failing > 0) parts.push(`${failing} ${verb(failing, 'is', 'are')} failing`);
  if (count('skipped') > 0) parts.push(`${count('skipped')} not started`);
  const tokens = reports.reduce((sum, report) => sum + (report.state === 'well' ? report.tokens : 0), 0);
  const start = startTokens === undefined ? '' : `, ${tokenCount(startTokens)} at start`;
  const total = tokens === 0 ? '' : ` About ${tokenCount(tokens)} tokens of tools${start}.`;
  return `${parts.join(', ')}.${total}`;
}

function verb(number: number, one: string, many: string): string {
  return number === 1 ? one : many;
}
