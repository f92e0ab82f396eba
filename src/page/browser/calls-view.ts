import { html, nothing, type TemplateResult } from 'lit-html';
import type { CallRow } from '../../inspect/call-log.js';
import { clientTitle } from '../../text/client-title.js';
import { count, plural } from './amounts.js';
import { callTable } from './call-table.js';
import { createFilter, filterField } from './filter-field.js';
import { runningView } from './running-view.js';
import { callsAtOnce, type State, set, state } from './state.js';
import { isFailure } from './statistics.js';

export function callsView(shown: State, now: number): TemplateResult {
  const { callFilter, onlyFailed, paused, shownCalls } = shown;
  const calls = matching(shown);
  const missed = paused === undefined ? 0 : state.calls.filter(({ id }) => id > lastId(paused)).length;
  return html`${runningView(shown.board?.running ?? [], now)}
  <section class="card" aria-labelledby="calls">
    <header>
      <h2 id="calls">Calls</h2>
      ${filterField(callFilter, (text) => set({ callFilter: text, shownCalls: callsAtOnce }))}
      <label class="check"><input type="checkbox" .checked=${onlyFailed} @change=${onFailed} /> Only failed</label>
      <button type="button" aria-pressed=${paused !== undefined} @click=${pause}>
        ${paused === undefined ? 'Pause' : `Go on${missed === 0 ? '' : ` (${count(missed)} new)`}`}
      </button>
      <button type="button" ?disabled=${calls.length === 0} @click=${() => save(calls)}>Export</button>
      <p class="quiet small" role="status">${paused === undefined ? plural(calls.length, 'call') : 'paused'}</p>
    </header>
    ${
      calls.length === 0
        ? html`<p class="note">${state.calls.length === 0 ? 'No calls yet.' : 'No call matches.'}</p>`
        : callTable(calls.slice(-shownCalls).toReversed(), 'Calls, newest first', now)
    }
    ${
      calls.length > shownCalls
        ? html`<p class="note">
          <button type="button" @click=${() => set({ shownCalls: shownCalls + callsAtOnce })}>Show more</button>
          <span class="quiet">${count(calls.length - shownCalls)} older</span>
        </p>`
        : nothing
    }
  </section>`;
}

function lastId(calls: readonly CallRow[]): number {
  return calls.at(-1)?.id ?? 0;
}

function matching({ calls, paused, callFilter, onlyFailed }: State): readonly CallRow[] {
  const passes = createFilter(callFilter);
  return (paused ?? calls).filter((call) => (!onlyFailed || isFailure(call)) && passes(() => textOf(call)));
}

function textOf({ toolbox, server, tool, client, outcome, code = '', reason = '' }: CallRow): string {
  return `${toolbox} ${server} ${tool} ${client} ${clientTitle(client)} ${outcome} ${code} ${reason}`.toLowerCase();
}

function onFailed({ target }: Event): void {
  if (target instanceof HTMLInputElement) set({ onlyFailed: target.checked, shownCalls: callsAtOnce });
}

function pause(): void {
  set({ paused: state.paused === undefined ? state.calls : undefined });
}

/** As JSON, one call per line: a spreadsheet would take some names for formulas. */
function save(calls: readonly CallRow[]): void {
  const lines = calls.map((call) => JSON.stringify({ ...call, at: new Date(call.at).toISOString(), id: undefined }));
  const address = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'calls.ndjson';
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}
