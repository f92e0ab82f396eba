import { displayWidth, padToWidth } from '../../text/display-width.js';
import { plural, seconds, tokenCount } from '../screen/amounts.js';
import type { Row } from '../screen/columns.js';
import type { Output } from '../screen/output.js';
import { wrapped } from '../screen/wrapped.js';
import type { Hint } from './hints.js';
import type { ServerReport, UnwellServer } from './server-report.js';

const detailIndent = 4;
const longestAligned = 24;

/** The commands that the report names. */
export interface DoctorCommands {
  /** Undefined if the hints are to be listed. */
  readonly hints: string | undefined;
  readonly doctor: (toolbox: string, server: string) => string;
}

interface Findings {
  readonly reports: readonly ServerReport[];
  readonly hints: readonly Hint[];
}

/** The servers of each toolbox, then what it comes to. */
export function printReports({ reports, hints }: Findings, output: Output, commands: DoctorCommands): void {
  for (const toolbox of new Set(reports.map((report) => report.toolbox))) {
    output.print(toolbox);
    const own = reports.filter((report) => report.toolbox === toolbox);
    printToolbox(own, output, commands);
  }
  output.print(summaryOf(reports));
  if (hints.length === 0) return;
  if (commands.hints !== undefined) {
    output.print(`${plural(hints.length, 'hint')}: ${commands.hints}`);
    return;
  }
  output.print('Hints');
  for (const { toolbox, server, text } of hints)
    output.print(wrapped([toolbox, server, text].filter(Boolean).join(' '), output.width, 2, detailIndent));
}

function printToolbox(reports: readonly ServerReport[], output: Output, { doctor }: DoctorCommands): void {
  const width = Math.min(longestAligned, Math.max(...reports.map(({ server }) => displayWidth(server))));
  const well = reports.flatMap((report) => (report.state === 'well' ? [report] : []));
  if (well.length > 0) {
    const rows: Row[] = well.map(({ server, startMs, latencyMs, revision, software, tools, tokens }) => ({
      indent: 2,
      cells: [
        padToWidth(server, width),
        `${output.mark('well')} ${seconds(startMs)}`,
        latencyMs === undefined ? '' : `${latencyMs} ms`,
        revision ?? '',
        software ?? '',
        plural(tools, 'tool'),
        `${tokenCount(tokens)} tokens`,
      ],
    }));
    output.printRows(rows, {
      right: [2, 5, 6],
      flexible: [
        [4, 8],
        [0, 8],
      ],
    });
  }
  for (const report of reports) {
    if (report.state === 'failed' || report.state === 'unauthorized') printUnwell(report, width, output);
    if (report.state === 'disabled')
      output.print(`  ${padToWidth(report.server, width)}  ${output.signs.dash} disabled`);
    if (report.state === 'skipped') {
      output.print(
        `  ${padToWidth(report.server, width)}  ${output.mark('asleep')} not started: it may open a browser`,
      );
      output.print(`    ${doctor(report.toolbox, report.server)}`);
    }
  }
}

/** What happened, then what the server wrote, then what to do. */
function printUnwell(
  { server, state, kind, reason, afterMs, advice }: UnwellServer,
  width: number,
  output: Output,
): void {
  const [what = '', ...details] = reason.split('; ');
  const mark = output.mark(state === 'unauthorized' ? 'warning' : 'bad');
  const after = kind === 'crashed' ? ` after ${seconds(afterMs)}` : '';
  output.print(lineOf(`${padToWidth(server, width)}  ${mark} ${what}${after}`, output, 2));
  if (details.length > 0) output.print(lineOf(details.join('; '), output, detailIndent));
  if (advice !== undefined) output.print(lineOf(`${output.signs.talk} ${advice}`, output, detailIndent));
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
