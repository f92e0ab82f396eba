import { html, nothing, type TemplateResult } from 'lit-html';
import type { SearchAnswer, SearchHit } from '../messages.js';
import { count, plural } from './amounts.js';
import { bar } from './bar.js';
import { search } from './live.js';
import { type State, set } from './state.js';

/** After the last key. */
const waitMs = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

export function searchView({ board, searchIn, query, found, isSearching, isRaw }: State): TemplateResult {
  const toolboxes = board?.toolboxes.map(({ name }) => name) ?? [];
  return html`<section class="card" aria-labelledby="search">
    <header>
      <h2 id="search">Search</h2>
      <p class="quiet small">what an agent finds when it calls <code>open_toolbox</code> with these words; starts nothing</p>
    </header>
    <form class="search" role="search" @submit=${onSubmit}>
      <label class="field"
        >Toolbox
        <select @change=${onToolbox}>
          <option value="*" ?selected=${searchIn === '*'}>all (*)</option>
          ${toolboxes.map((name) => html`<option value=${name} ?selected=${searchIn === name}>${name}</option>`)}
        </select>
      </label>
      <label class="field wide"
        >Query
        <input type="search" .value=${query} @input=${onQuery} autocomplete="off" placeholder="create an issue" />
      </label>
      <button type="submit">Search</button>
    </form>
    ${
      found === undefined
        ? html`<p class="note quiet" role="status">${isSearching ? 'Searching …' : 'Without words, everything is listed.'}</p>`
        : answer(found, isRaw || (found.hits.length === 0 && query.trim() === ''))
    }
  </section>`;
}

function answer(found: SearchAnswer, isRaw: boolean): TemplateResult {
  const { hits, isError, text, tokens } = found;
  return html`<div class="note answered">
      <p role="status">
        <strong>${isError ? html`<span class="bad">The agent reads an error</span>` : plural(hits.length, 'tool')}</strong>
        <span class="quiet">in an answer of ${count(tokens)} tokens, ${text.length.toLocaleString('en')} characters</span>
      </p>
      <label class="check"><input type="checkbox" .checked=${isRaw} @change=${onRaw} /> As the agent reads it</label>
    </div>
    ${
      isRaw || isError
        ? html`<pre class="answer" tabindex="0" role="region" aria-label="The answer">${text}</pre>`
        : hitTable(hits)
    }`;
}

function hitTable(hits: readonly SearchHit[]): TemplateResult {
  if (hits.length === 0)
    return html`<p class="note">No tool matches. What the agent reads then is behind the switch.</p>`;
  const most = Math.max(...hits.map(({ tokens }) => tokens));
  return html`<div class="scroll" role="region" aria-label="Tools found" tabindex="0">
    <table class="tools hits" role="table">
      <caption class="unseen">
        The tools of the answer, in its order
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Tool</th>
          <th role="columnheader" scope="col">Toolbox, server</th>
          <th role="columnheader" scope="col">Found by</th>
          <th role="columnheader" scope="col" class="number">Tokens</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${hits.map((hit) => hitRow(hit, most))}
      </tbody>
    </table>
  </div>`;
}

function hitRow({ name, about, toolbox, server, matches, tokens }: SearchHit, most: number): TemplateResult {
  return html`<tr role="row">
    <th role="rowheader" scope="row" class="tool"><span class="name">${name}</span><small class="quiet">${about}</small></th>
    <td role="cell" class="name">${toolbox} <span class="quiet">·</span> ${server}</td>
    <td role="cell" class="matches">${matchesText(matches)}</td>
    <td role="cell" class="number tokens">${bar(tokens, most)}</td>
  </tr>`;
}

/** `name: create, issue · description: repo (repository)` */
function matchesText(matches: SearchHit['matches']): TemplateResult[] {
  const places = [...new Set(matches.map((match) => match.in))];
  return places.map((place, index) => {
    const words = matches.filter((match) => match.in === place);
    const shown = words.map(({ word, as }) => (as === undefined ? word : `${word} (${as})`)).join(', ');
    return html`${index === 0 ? nothing : ' · '}<span class="quiet">${place}:</span> ${shown}`;
  });
}

function ask(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void search(), waitMs);
}

function onQuery({ target }: Event): void {
  if (!(target instanceof HTMLInputElement)) return;
  set({ query: target.value });
  ask();
}

function onToolbox({ target }: Event): void {
  if (!(target instanceof HTMLSelectElement)) return;
  set({ searchIn: target.value });
  ask();
}

function onRaw({ target }: Event): void {
  if (target instanceof HTMLInputElement) set({ isRaw: target.checked });
}

function onSubmit(event: Event): void {
  event.preventDefault();
  clearTimeout(timer);
  void search();
}
