import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { isUnwell } from '../../inspect/state-name.js';
import { clientTitles } from '../../text/client-title.js';
import type { Board, ServerRow, ToolboxRows } from '../messages.js';
import { count, duration, kilo, megabytes, plural, took } from './amounts.js';
import { callTable } from './call-table.js';
import { command } from './command.js';
import { details } from './details.js';
import { lane, type Span } from './lane.js';
import { type Scale, scaleOf } from './lane-span.js';
import { toggle } from './live.js';
import { runningView } from './running-view.js';
import { type State, state } from './state.js';
import { isCut, keyOf, recent, type Usage, unused, usageBy } from './statistics.js';

const lastCalls = 8;
const columns = 6;

interface Shown {
  readonly now: number;
  readonly scale: Scale;
  readonly usage: ReadonlyMap<string, Usage>;
}

export function boardView({ board, calls }: State, now: number): TemplateResult {
  if (board === undefined) return html`<p class="quiet">Reading …</p>`;
  if (board.config === null && board.toolboxes.length === 0) return beginning(board);
  const lately = recent(calls, now);
  const scale = scaleOf(board, lately, now);
  const shown = { now, scale, usage: usageBy(lately, ({ toolbox, server }) => keyOf(toolbox, server)) };
  return html`${cards(board, shown, isCut(calls, now))}
    <section class="card" aria-labelledby="toolboxes">
      <header>
        <h2 id="toolboxes">Toolboxes</h2>
        <ul class="legend" aria-hidden="true">
          <li><span class="key starting"></span>starting</li>
          <li><span class="key awake"></span>awake</li>
          <li><span class="key call"></span><span>call<span class="roomy">, taller is slower</span></span></li>
          <li><span class="key failed"></span>failed</li>
        </ul>
      </header>
      ${table(board, shown)}
      ${board.sessions.length === 0 ? html`<p class="note">${noSession}</p>` : nothing}
    </section>
    ${runningView(board.running, now)}
    <section class="card" aria-labelledby="last">
      <header>
        <h2 id="last">Last calls</h2>
        <p class="quiet small">of arguments and results only the first line of an error is shown</p>
      </header>
      ${
        calls.length === 0
          ? html`<p class="note">No calls yet.</p>`
          : callTable(calls.slice(-lastCalls).toReversed(), 'Last calls, newest first', now)
      }
    </section>`;
}

const noSession = html`No session is seen. Servers sleep until an agent opens a toolbox or calls a tool; connect a client with
  ${command('mcp-workbench connect')}`;

function beginning({ expected, begin }: Board): TemplateResult {
  return html`<section class="card begin">
    <h2>No configuration yet</h2>
    <p>Servers are grouped into toolboxes in one file: <code>${expected}</code></p>
    <p>Begin with one of these commands:</p>
    <dl>
      ${begin.map(
        ({ command: text, does }) => html`<dt>${command(text)}</dt>
          <dd class="quiet">${does}</dd>`,
      )}
    </dl>
  </section>`;
}

function cards(board: Board, { usage }: Shown, cut: boolean): TemplateResult {
  const servers = board.toolboxes.flatMap((toolbox) => toolbox.servers).filter(({ state: is }) => is !== 'disabled');
  const awake = servers.filter(({ state: is }) => is === 'awake').length;
  const used = servers.reduce((sum, { memory = 0 }) => sum + memory, 0);
  const all = [...usage.values()];
  const calls = all.reduce((sum, one) => sum + one.calls.length, 0);
  const failed = all.reduce((sum, one) => sum + one.failed, 0);
  return html`<dl class="cards">
    ${card(`${awake} of ${servers.length}`, 'servers awake now')}
    ${card(used === 0 ? '0 MB' : megabytes(used), ifAllWereAwake(servers))}
    ${card(`about ${count(board.startTokens)} tokens`, `at every start${insteadOf(servers, board.startTokens)}`)}
    ${card(`${plural(calls, 'call')}${cut ? ' or more' : ''}`, `${count(failed)} failed, in 30 minutes`)}
  </dl>`;
}

/** What the tools of all servers would cost; nothing if that is less. */
function insteadOf(servers: readonly ServerRow[], startTokens: number): string {
  const tokens = servers.reduce((sum, { tokens: own = 0 }) => sum + own, 0);
  const isWhole = servers.every(({ tokens: own }) => own !== undefined);
  return tokens <= startTokens ? '' : `, instead of ${isWhole ? 'about' : 'more than'} ${count(tokens)}`;
}

function card(value: string, what: string): TemplateResult {
  return html`<div class="card"><dt>${what}</dt><dd>${value}</dd></div>`;
}

/** Servers that were never seen awake are assumed to be like the others. */
function ifAllWereAwake(servers: readonly ServerRow[]): string {
  const seen = servers.flatMap(({ memory, lastMemory }) => memory ?? lastMemory ?? []);
  if (seen.length === 0) return 'in use by servers';
  const sum = seen.reduce((all, bytes) => all + bytes, 0);
  return `in use; all awake: about ${megabytes((sum / seen.length) * servers.length)}`;
}

/** With roles: on narrow screens it is laid out without the display types of tables. */
function table({ toolboxes }: Board, shown: Shown): TemplateResult {
  return html`<table class="board" role="table" aria-labelledby="toolboxes">
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">Server</th>
        <th role="columnheader" scope="col">State</th>
        <th role="columnheader" scope="col" class="number">Tools</th>
        <th role="columnheader" scope="col" class="number">Tokens</th>
        <th role="columnheader" scope="col" class="number">Calls · median</th>
        <th role="columnheader" scope="col" class="axis">
          <span class="unseen">The last ${shown.scale.minutes} minutes</span>
          <span class="scale" aria-hidden="true">
            ${shown.scale.marks.map((mark, index) => html`<span>${index === 0 ? `${mark} min ago` : mark}</span>`)}<span>now</span>
          </span>
        </th>
      </tr>
    </thead>
    ${repeat(
      toolboxes,
      ({ name }) => name,
      (toolbox) => rowsOf(toolbox, shown),
    )}
  </table>`;
}

function rowsOf({ name, description, servers }: ToolboxRows, shown: Shown): TemplateResult {
  const enabled = servers.filter(({ state: is }) => is !== 'disabled');
  const tokens = enabled.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  const calls = servers.reduce((sum, { server }) => sum + (shown.usage.get(keyOf(name, server))?.calls.length ?? 0), 0);
  return html`<tbody role="rowgroup">
    <tr role="row" class="box">
      <th role="rowheader" scope="rowgroup" colspan="3">${name} <span class="quiet small">${description}</span></th>
      <td role="cell" class="number small quiet">${tokens === 0 ? '–' : kilo(tokens)}</td>
      <td role="cell" class="number small quiet">${count(calls)}</td>
      <td role="cell"></td>
    </tr>
    ${repeat(
      servers,
      ({ server }) => server,
      (server) => rowOf(server, shown),
    )}
  </tbody>`;
}

function rowOf(row: ServerRow, { now, scale, usage }: Shown): TemplateResult {
  const { toolbox, server, tools, tokens, lives } = row;
  const own = usage.get(keyOf(toolbox, server)) ?? unused;
  const isOpen = state.open?.toolbox === toolbox && state.open.server === server;
  const span: Span = { now, ms: scale.minutes * 60_000 };
  // The button is for the keyboard, and for those who do not see the row.
  return html`<tr role="row" class="server ${isOpen ? 'open' : ''}" @click=${() => toggle(toolbox, server)}>
      <th role="rowheader" scope="row" class="name">
        <button type="button" aria-expanded=${isOpen}>${server}</button>${changesOf(row)}
      </th>
      <td role="cell" class="state">${stateOf(row, now)}</td>
      <td role="cell" class="number" data-label="tools">${tools === undefined ? '–' : count(tools)}</td>
      <td role="cell" class="number" data-label="tokens">${tokens === undefined ? '–' : kilo(tokens)}</td>
      <td role="cell" class="number" data-label="calls">
        ${callsText(own)}
      </td>
      <td role="cell" class="half-hour">${isUnwell(row.state) ? trouble(row) : lane(lives, own, span)}</td>
    </tr>
    ${
      isOpen
        ? html`<tr role="row" class="details">
          <td role="cell" colspan=${columns}>${details(row, own, now)}</td>
        </tr>`
        : nothing
    }`;
}

/** Leads to the differences. */
function changesOf({ changes }: ServerRow): TemplateResult | typeof nothing {
  if (changes === undefined) return nothing;
  const { changed, added } = changes;
  const words = [changed > 0 ? `${changed} changed` : '', added > 0 ? `${added} new` : ''].filter(Boolean).join(', ');
  // The row opens on a click.
  return html` <a class="tag warning" href="#approvals" title="Not as approved" @click=${(event: Event) => event.stopPropagation()}
    >${words}</a
  >`;
}

function callsText({ calls, median }: Usage): string {
  if (calls.length === 0) return '–';
  return median === undefined ? count(calls.length) : `${count(calls.length)} · ${took(median)}`;
}

function trouble({ reason, next, state: is }: ServerRow): TemplateResult {
  return html`<span class="trouble">
    <span class="bad">${is === 'unauthorized' ? 'needs a login' : (reason ?? 'failed')}</span>
    ${next === undefined ? nothing : command(next)}
  </span>`;
}

function stateOf(row: ServerRow, now: number): TemplateResult {
  const { state: is, since = now, memory, processes, clients } = row;
  const more = processes > 1 ? ` in ${processes} processes` : '';
  const words: Readonly<Record<ServerRow['state'], string>> = {
    awake: memory === undefined ? 'ready' : `ready · ${megabytes(memory)}${more}`,
    starting: `starting ${duration(now - since)}`,
    asleep: 'asleep',
    failed: 'failing',
    unauthorized: 'needs a login',
    silent: 'awake?',
    disabled: 'disabled',
    unknown: 'not measured yet',
  };
  return html`<span class="mark ${is}" aria-hidden="true"></span><span title=${clientTitles(clients)}>${words[is]}</span>`;
}
