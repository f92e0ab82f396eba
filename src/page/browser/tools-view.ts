import { html, type TemplateResult } from 'lit-html';
import type { ToolRow } from '../messages.js';
import { ago, count, plural } from './amounts.js';
import { bar } from './bar.js';
import { createFilter, filterField } from './filter-field.js';
import { type State, set, state, type ToolSort } from './state.js';
import { keyOf, type Usage, unused, usageBy } from './statistics.js';

/** More would be slow to draw; a filter finds them. */
const mostShown = 1_000;

interface UsedTool {
  readonly tool: ToolRow;
  readonly usage: Usage;
}

export function toolsView({ tools, calls, toolFilter }: State, now: number): TemplateResult {
  const usage = usageBy(calls, ({ toolbox, server, tool }) => keyOf(toolbox, server, tool));
  const passes = createFilter(toolFilter);
  const shown = tools
    .filter((tool) => passes(() => textOf(tool)))
    .map((tool) => ({ tool, usage: usage.get(keyOf(tool.toolbox, tool.server, tool.name)) ?? unused }));
  const sorted = state.toolSort === 'place' && state.isToolSortUp ? shown : shown.sort(comparison());
  const most = shown.reduce((largest, { tool }) => Math.max(largest, tool.tokens), 0);
  const tokens = shown.reduce((sum, { tool }) => sum + tool.tokens, 0);
  return html`<section class="card" aria-labelledby="tools">
    <header>
      <h2 id="tools">Tools</h2>
      ${filterField(toolFilter, (text) => set({ toolFilter: text }))}
      <p class="quiet small" role="status">${plural(shown.length, 'tool')}, ${count(tokens)} tokens</p>
    </header>
    ${shown.length === 0 ? html`<p class="note">${none(tools.length)}</p>` : table(sorted.slice(0, mostShown), most, now)}
    ${shown.length > mostShown ? html`<p class="note">${shown.length - mostShown} more: filter for them.</p>` : ''}
  </section>`;
}

function none(known: number): string {
  return known === 0 ? 'No tools are known yet: a server lists them at its first start.' : 'No tool matches.';
}

/** Lower case once per tool: it is filtered at every stroke of a key. */
const texts = new WeakMap<ToolRow, string>();

function textOf(tool: ToolRow): string {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const text = [tool.toolbox, tool.server, tool.name, tool.about, ...tool.marks].join(' ').toLowerCase();
  texts.set(tool, text);
  return text;
}

function comparison(): (one: UsedTool, other: UsedTool) => number {
  const by: Readonly<Record<ToolSort, (one: UsedTool, other: UsedTool) => number>> = {
    name: (one, other) => one.tool.name.localeCompare(other.tool.name),
    place: (one, other) => placeOf(one).localeCompare(placeOf(other)),
    tokens: (one, other) => one.tool.tokens - other.tool.tokens,
    calls: (one, other) => one.usage.calls.length - other.usage.calls.length,
    errors: (one, other) => one.usage.failed - other.usage.failed,
    used: (one, other) => (one.usage.last ?? 0) - (other.usage.last ?? 0),
  };
  const compare = by[state.toolSort];
  return state.isToolSortUp ? compare : (one, other) => compare(other, one);
}

function placeOf({ tool: { toolbox, server } }: UsedTool): string {
  return `${toolbox} ${server}`;
}

/** With roles: on narrow screens it is laid out without the display types of tables. */
function table(tools: readonly UsedTool[], most: number, now: number): TemplateResult {
  return html`<div class="scroll" role="region" aria-label="All tools" tabindex="0">
    <table class="tools" role="table">
      <caption class="unseen">
        All known tools
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${heading('name', 'Tool', true)} ${heading('place', 'Toolbox, server', true)}
          ${heading('tokens', 'Tokens', false, 'number')} ${heading('calls', 'Calls', false, 'number')}
          ${heading('errors', 'Errors', false, 'number')} ${heading('used', 'Last used', false)}
          <th role="columnheader" scope="col">Marks</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${tools.map((one) => toolRow(one, most, now))}
      </tbody>
    </table>
  </div>`;
}

function heading(sort: ToolSort, text: string, isUpFirst: boolean, kind = ''): TemplateResult {
  const isSorted = state.toolSort === sort;
  const next = isSorted ? !state.isToolSortUp : isUpFirst;
  const order = isSorted ? (state.isToolSortUp ? 'ascending' : 'descending') : 'none';
  return html`<th role="columnheader" scope="col" class=${kind} aria-sort=${order}>
    <button type="button" class="sort" @click=${() => set({ toolSort: sort, isToolSortUp: next })}>
      ${text}<span aria-hidden="true" class="arrow">${isSorted ? (state.isToolSortUp ? '▲' : '▼') : ''}</span>
    </button>
  </th>`;
}

function toolRow({ tool, usage }: UsedTool, most: number, now: number): TemplateResult {
  const { name, about, toolbox, server, tokens, marks } = tool;
  return html`<tr role="row">
    <th role="rowheader" scope="row" class="tool"><span class="name">${name}</span><small class="quiet">${about}</small></th>
    <td role="cell" class="name">${toolbox} <span class="quiet">·</span> ${server}</td>
    <td role="cell" class="number tokens">${bar(tokens, most)}</td>
    <td role="cell" class="number" data-label="calls">${usage.calls.length === 0 ? '–' : count(usage.calls.length)}</td>
    <td role="cell" class="number ${usage.failed > 0 ? 'bad' : ''}" data-label="errors">${usage.failed === 0 ? '–' : count(usage.failed)}</td>
    <td role="cell" data-label="used">${usage.last === undefined ? '–' : ago(usage.last, now)}</td>
    <td role="cell" class="marks">${marks.map((mark) => html`<span class="tag ${mark === 'destructive' ? 'bad' : ''}">${mark}</span> `)}</td>
  </tr>`;
}
