import { html, nothing, type TemplateResult } from 'lit-html';
import { clientTitles } from '../../text/client-title.js';
import type { ServerRow, ToolRow } from '../messages.js';
import { ago, duration, plural, timeText, took } from './amounts.js';
import { bar } from './bar.js';
import { outcomeOf } from './call-table.js';
import { state } from './state.js';
import type { Usage } from './statistics.js';

const shownCalls = 12;

/** What a click on a server opens: its tools, what it wrote last, and its last calls. */
export function details(row: ServerRow, { calls }: Usage, now: number): TemplateResult {
  const tools = state.tools.filter(({ toolbox, server }) => toolbox === row.toolbox && server === row.server);
  return html`<p class="quiet small facts">${factsOf(row, now)}</p>
    <div class="panes">
      <section aria-label="Tools of ${row.server}">
        <h3>Tools</h3>
        ${toolList(tools)}
      </section>
      <section aria-label="Log of ${row.server}">
        <h3>Log</h3>
        ${log(now)}
      </section>
      <section aria-label="Last calls of ${row.server}">
        <h3>Last calls</h3>
        ${
          calls.length === 0
            ? html`<p class="quiet">None in the last half hour.</p>`
            : html`<ul class="plain">
              ${calls
                .slice(-shownCalls)
                .toReversed()
                .map(
                  (call) => html`<li>
                    <span class="quiet time">${timeText(call.at, now)}</span> <span class="name">${call.tool}</span>
                    <span class="number">${took(call.ms)}</span> ${outcomeOf(call)}
                  </li>`,
                )}
            </ul>`
        }
      </section>
    </div>`;
}

function factsOf(
  { state: is, since, startMs, software, package: from, clients, listedAt, processes }: ServerRow,
  now: number,
): string {
  const facts = [
    ...(is === 'awake' && since !== undefined ? [`awake for ${duration(now - since)}`] : []),
    ...(clients.length > 0 ? [`in ${clientTitles(clients)}`] : []),
    ...(processes > 0 ? [processes === 1 ? 'one process' : `${processes} processes`] : []),
    ...(startMs === undefined ? [] : [`started in ${took(startMs)}`]),
    ...(software === undefined ? [] : [software]),
    ...(from === undefined ? [] : [from.text, ...(from.at === undefined ? [] : [`looked up ${ago(from.at, now)}`])]),
    ...(listedAt === undefined ? [] : [`tools listed ${ago(listedAt, now)}`]),
  ];
  return facts.length === 0 ? 'It has not run since this page was opened.' : facts.join(' · ');
}

function toolList(tools: readonly ToolRow[]): TemplateResult {
  if (tools.length === 0) return html`<p class="quiet">Not known yet: they are listed at its first start.</p>`;
  const most = Math.max(...tools.map(({ tokens }) => tokens));
  return html`<ul class="plain tall" tabindex="0" role="list" aria-label=${plural(tools.length, 'tool')}>
    ${tools.map(
      ({ name, tokens, about }) => html`<li title=${about}>
        <span class="name">${name}</span> ${bar(tokens, most)}<span class="unseen"> tokens</span>
      </li>`,
    )}
  </ul>`;
}

function log(now: number): TemplateResult | typeof nothing {
  const found = state.open?.log;
  if (found === undefined) return nothing;
  if (found.lines === null || found.lines.length === 0) return html`<p class="quiet">Nothing was written yet.</p>`;
  const text = found.lines.map((line) => localTime(line, now)).join('\n');
  return html`<pre class="log" tabindex="0" role="region" aria-label="The last lines">${text}</pre>`;
}

/** Logs are written in UTC. */
function localTime(line: string, now: number): string {
  return line.replace(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z(?= )/, (time) => {
    const at = Date.parse(time);
    return Number.isNaN(at) ? time : timeText(at, now);
  });
}
