import { html, nothing, render, type TemplateResult } from 'lit-html';
import { clientTitles } from '../../text/client-title.js';
import { plural } from './amounts.js';
import { approvalsView } from './approvals-view.js';
import { boardView } from './board-view.js';
import { callsView } from './calls-view.js';
import { follow, readApprovals, readLog, takeKey } from './live.js';
import { searchView } from './search-view.js';
import { type Connection, changed, onChange, type State, set, state, type ViewName, views } from './state.js';
import { toolsView } from './tools-view.js';

const titles: Readonly<Record<ViewName, string>> = {
  board: 'Board',
  tools: 'Tools',
  calls: 'Calls',
  search: 'Search',
  approvals: 'Approvals',
};
/** Lanes move, and states grow older. */
const tickMs = 1_000;
const readEveryMs = 2_000;

function page(shown: State): TemplateResult {
  return html`<a class="skip" href="#main" @click=${skip}>Skip to the content</a>
    <header class="top">
      <h1>MCP Workbench</h1>
      <nav aria-label="Views">
        ${views.map(
          (view) => html`<a href="#${view}" aria-current=${view === shown.view ? 'page' : nothing}>${titles[view]}</a>`,
        )}
      </nav>
      <p class="connection" role="status"><span class="mark ${shown.connection}" aria-hidden="true"></span>${liveness(shown)}</p>
    </header>
    <main id="main" tabindex="-1">
      ${shown.board?.problems.map((problem) => html`<p class="problem" role="alert">${problem}</p>`)}
      ${content(shown)}
    </main>`;
}

function content(shown: State): TemplateResult {
  const now = Date.now();
  if (shown.connection === 'missing' || shown.connection === 'refused') return noKey(shown.connection);
  switch (shown.view) {
    case 'board':
      return boardView(shown, now);
    case 'tools':
      return toolsView(shown, now);
    case 'calls':
      return callsView(shown, now);
    case 'search':
      return searchView(shown);
    case 'approvals':
      return approvalsView(shown, now);
  }
}

function noKey(connection: Connection): TemplateResult {
  return html`<section class="card begin">
    <h2>${connection === 'missing' ? 'The key is missing' : 'The key is no longer valid'}</h2>
    <p>Open the address that <code>mcp-workbench page</code> has printed: it ends with a key, which is another one each time.</p>
  </section>`;
}

function liveness({ connection, board }: State): string {
  switch (connection) {
    case 'connecting':
      return 'connecting …';
    case 'lost':
      return 'not connected: mcp-workbench page has ended or does not answer; trying again';
    case 'missing':
    case 'refused':
      return 'not connected';
    case 'live': {
      const sessions = board?.sessions ?? [];
      if (sessions.length === 0) return 'live · no session';
      const users = new Set(sessions.flatMap(({ user }) => user ?? [])).size;
      const clients = clientTitles(sessions.map(({ client }) => client));
      return `live · ${plural(sessions.length, 'session')}: ${clients}${users === 0 ? '' : ` · ${plural(users, 'user')}`}`;
    }
  }
}

/** Not by the address: the view is in it. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function showView(): void {
  const wanted = location.hash.slice(1);
  const view = views.find((one) => one === wanted) ?? 'board';
  document.title = `${titles[view]} · MCP Workbench`;
  set({ view });
  void readApprovals(true);
}

/** The log is read from its end: the newest line stays in view unless the user has scrolled up. */
function draw(): void {
  const before = document.querySelector('.log');
  const isAtEnd = before !== null && before.scrollHeight - before.scrollTop - before.clientHeight < 4;
  render(page(state), document.body);
  const log = document.querySelector('.log');
  if (log !== null && (log !== before || isAtEnd)) log.scrollTop = log.scrollHeight;
}

takeKey();
onChange(draw);
addEventListener('hashchange', showView);
setInterval(changed, tickMs);
setInterval(() => {
  void readLog();
  void readApprovals();
}, readEveryMs);
showView();
void follow();
