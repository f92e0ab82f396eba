import { html, nothing, type TemplateResult } from 'lit-html';
import { count } from './amounts.js';
import { search } from './live.js';
import { type State, set } from './state.js';

/** After the last key. */
const waitMs = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

export function searchView({ board, searchIn, query, found, isSearching }: State): TemplateResult {
  const toolboxes = board?.toolboxes.map(({ name }) => name) ?? [];
  return html`<section class="card" aria-labelledby="search">
    <header>
      <h2 id="search">Search</h2>
      <p class="quiet small">what an agent reads when it calls <code>open_toolbox</code> with these words; starts nothing</p>
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
    ${answer(found, isSearching)}
  </section>`;
}

function answer(found: State['found'], isSearching: boolean): TemplateResult {
  if (found === undefined)
    return html`<p class="note quiet" role="status">${isSearching ? 'Searching …' : 'Without words, everything is listed.'}</p>`;
  const size = `${count(found.tokens)} tokens, ${found.text.length.toLocaleString('en')} characters`;
  return html`<p class="note" role="status">
      <strong>${size}</strong>${found.isError ? html` <span class="bad">the agent reads an error</span>` : nothing}
    </p>
    <pre class="answer" tabindex="0" role="region" aria-label="The answer">${found.text}</pre>`;
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

function onSubmit(event: Event): void {
  event.preventDefault();
  clearTimeout(timer);
  void search();
}
