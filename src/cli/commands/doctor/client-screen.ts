import { version } from '../../../platform/version.js';
import { plural, seconds } from '../../frame/screen/amounts.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import type { ClientReport } from '../clients/client-report.js';

const label = 'Clients';
/** As wide as the label of the configuration. */
const labelWidth = 13;

/** A line for each client: what works, or what is wrong and the command that corrects it. */
export function printClients(
  reports: readonly ClientReport[],
  output: Output,
  { home, connect }: { readonly home: string; readonly connect: (client: string) => string },
): void {
  const rows = reports.map((report, index) => ({
    cells: [
      (index === 0 ? label : '').padEnd(labelWidth),
      `${signOf(report, output)} ${report.client}`,
      wordsOf(report, home),
    ],
    ...(isFine(report) || report.state === 'unreadable' ? {} : { note: nextFor(report, connect) }),
  }));
  output.printRows(rows);
}

function nextFor({ client, state, url }: ClientReport, connect: (client: string) => string): string {
  return state === 'failed' && url !== undefined ? 'mcp-workbench serve --http' : connect(client);
}

function isOld({ workbench }: ClientReport): boolean {
  return workbench !== undefined && workbench !== version;
}

function isFine(report: ClientReport): boolean {
  return report.state === 'well' && report.doubled.length === 0 && !isOld(report);
}

function signOf(report: ClientReport, output: Output): string {
  if (report.state === 'unconnected') return output.signs.dash;
  if (report.state === 'failed') return output.mark('bad');
  return output.mark(isFine(report) ? 'well' : 'warning');
}

function wordsOf(report: ClientReport, home: string): string {
  const { state, file, startMs, workbench, url, reason = '', servers, doubled } = report;
  if (state === 'unreadable') return `cannot be read: ${reason.replace(file, shortPath(file, home))}`;
  if (state === 'failed') return reason;
  const count = plural(servers.length, 'server');
  if (state === 'unconnected') return `not connected, ${count} ${servers.length === 1 ? 'starts' : 'start'} with it`;
  const start =
    url !== undefined
      ? `${url} answers`
      : startMs === undefined
        ? 'entry was not started'
        : `entry starts in ${seconds(startMs)}`;
  const old = isOld(report) ? ` (version ${workbench}, this is ${version})` : '';
  const twice = doubled.length === 0 ? '' : `, ${doubled.length} of them twice: ${doubled.join(', ')}`;
  return `${start}${old}, ${count} left beside it${twice}`;
}
