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
}

interface Findings {
  readonly reports: readonly ServerReport[];
  readonly hints: readonly Hint[];
}

/** The servers of each toolbox, then what it comes to. */
export function printReports({ reports, hints }: Findings, output: Output, commands: DoctorCommands): void {
  for (const toolbox of new Set(reports.map((report) => report.toolbox))) {
    output.printRows([{ cells: [toolbox], isHeading: true }]);
    const own = reports.filter((report) => report.toolbox === toolbox);
    printToolbox(own, output, commands);
  }
  output.print(wrapped(summaryOf(reports), output.width, 0));
  if (hints.length === 0) return;
  if (commands.hints !== undefined) {
    output.print(`${plural(hints.length, 'hint')}: ${commands.hints}`);
    return;
  }
  output.print('Hints');
  for (const { toolbox, server, text } of hints)
    output.print(wrapped([toolbox, server, text].filter(Boolean).join(' '), output.width, 2, detailIndent));
}

function printToolbox(reports: readonly ServerReport[], output: Output, { doctor, approve }: DoctorCommands): void {
  const width = Math.min(longestAligned, Math.max(...reports.map(({ server }) => displayWidth(server))));
  const rows = reports.flatMap((report): (Row | string)[] => [
    row(report),
    ...packageRow(report, output),
    ...rulesRows(report, output),
    ...changesRow(report),
  ]);
  function changesRow(report: ServerReport): string[] {
    if (report.state !== 'well' || report.changed === undefined) return [];
    const text = changesText({ changed: report.changed, added: report.new ?? [] });
    const line = `${output.mark('warning')} ${text} since its tools were approved: ${approve(report.toolbox, report.server)}`;
    return [lineOf(line, output, detailIndent)];
  }
  function row(report: ServerReport): Row | string {
    const name = padToWidth(report.server, width);
    switch (report.state) {
      case 'well':
        return wellRow(name, report, output);
      case 'failed':
      case 'unauthorized':
        return unwellText(name, report, output);
      case 'disabled':
        return `  ${name}  ${output.signs.dash} disabled`;
      case 'skipped':
        return `  ${name}  ${output.mark('asleep')} not started: it may open a browser
    ${doctor(report.toolbox, report.server)}`;
    }
  }
  output.printRows(rows, {
    right: [2, 5, 6],
    flexible: [
      [4, 8],
      [0, 8],
    ],
  });
}

function wellRow(name: string, report: WellServer, output: Output): Row {
  const { startMs = 0, running, latencyMs, revision = '', software = '', tools, tokens } = report;
  const latency = latencyMs === undefined ? '' : `${latencyMs} ms`;
  const content = [plural(tools, 'tool'), `${tokenCount(tokens)} tokens`];
  return {
    indent: 2,
    cells: [
      name,
      `${output.mark('well')} ${running ? 'running' : seconds(startMs)}`,
      latency,
      revision,
      software,
      ...content,
    ],
  };
}

function packageRow(report: ServerReport, output: Output): string[] {
  if (report.state !== 'well' || report.package === undefined) return [];
  return [lineOf(`from ${packageText(report.package, undefined, Date.now())}`, output, detailIndent)];
}

/** What rules do to its tools, and what they do not. */
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

/** `9 of 12 servers are well, 1 needs authorization, 2 are not.` */
function summaryOf(reports: readonly ServerReport[]): string {
  const count = (state: ServerReport['state']) => reports.filter((report) => report.state === state).length;
  const tried = reports.length - count('disabled') - count('skipped');
  const parts = [
    `${count('well')} of ${plural(tried, 'server')} ${verb(tried === 1 ? 1 : count('well'), 'is', 'are')} well`,
  ];
  if (count('unauthorized') > 0)
    parts.push(`${count('unauthorized')} ${verb(count('unauthorized'), 'needs', 'need')} authorization`);
  if (count('failed') > 0) parts.push(`${count('failed')} ${verb(count('failed'), 'is', 'are')} not`);
  if (count('skipped') > 0) parts.push(`${count('skipped')} not started`);
  return `${parts.join(', ')}.`;
}

function verb(number: number, one: string, many: string): string {
  return number === 1 ? one : many;
}
