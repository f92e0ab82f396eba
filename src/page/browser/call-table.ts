import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { CallRow } from '../../inspect/call-log.js';
import { clientTitle } from '../../text/client-title.js';
import { kilo, kilobytes, timeText, took } from './amounts.js';
import { showServer } from './live.js';
import { set, state } from './state.js';
import { isFailure } from './statistics.js';

const columns = 10;

/**
 * A table of calls, newest first; one that failed opens. `caption` names it for those who do not see it. With roles: on narrow screens it
 * is laid out without the display types of tables.
 */
export function callTable(calls: readonly CallRow[], caption: string, now: number): TemplateResult {
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0">
    <table class="calls" role="table">
      <caption class="unseen">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Time</th>
          <th role="columnheader" scope="col">Toolbox</th>
          <th role="columnheader" scope="col">Server</th>
          <th role="columnheader" scope="col">Tool</th>
          <th role="columnheader" scope="col">Client</th>
          <th role="columnheader" scope="col" class="number">Took</th>
          <th role="columnheader" scope="col" class="number">Sent</th>
          <th role="columnheader" scope="col" class="number">Received</th>
          <th role="columnheader" scope="col" class="number">Shown</th>
          <th role="columnheader" scope="col" class="outcome">Outcome</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(
          calls,
          ({ id }) => id,
          (call) => callRow(call, now),
        )}
      </tbody>
    </table>
  </div>`;
}

function callRow(call: CallRow, now: number): TemplateResult {
  const { id, at, toolbox, server, tool, client, ms, sent, received } = call;
  const opens = isFailure(call);
  const isOpen = opens && state.openCall === id;
  const toggle = () => set({ openCall: isOpen ? undefined : id });
  // The button is for the keyboard, and for those who do not see the row.
  return html`<tr role="row" class="call ${opens ? 'opens' : ''} ${isOpen ? 'open' : ''}" @click=${opens ? toggle : nothing}>
      <td role="cell" class="time">${timeText(at, now)}</td>
      <td role="cell" class="name">${toolbox}</td>
      <td role="cell" class="name">${server}</td>
      <td role="cell" class="name tool-name">${tool}</td>
      <td role="cell" class="client">${clientTitle(client)}</td>
      <td role="cell" class="number took">${took(ms)}</td>
      <td role="cell" class="number size" data-label="sent">${kilobytes(sent)}</td>
      <td role="cell" class="number size" data-label="received">${kilobytes(received)}</td>
      <td role="cell" class="number size" data-label="shown">${shownOf(call)}</td>
      <td role="cell" class="outcome">
        ${opens ? html`<button type="button" aria-expanded=${isOpen}>${outcomeOf(call)}</button>` : outcomeOf(call)}
      </td>
    </tr>
    ${
      isOpen
        ? html`<tr role="row" class="details">
          <td role="cell" colspan=${columns}>${failureOf(call)}</td>
        </tr>`
        : nothing
    }`;
}

/** `1.4 k` characters of the result, `all` of it, or `–` without one. */
function shownOf({ shown, received }: CallRow): string {
  if (shown === undefined) return received === undefined ? '–' : 'all';
  return shown === 0 ? '0' : kilo(shown);
}

/** What a click on a call that failed opens. */
function failureOf({ reason, code, outcome, toolbox, server }: CallRow): TemplateResult {
  const isNamed = state.board?.toolboxes
    .find(({ name }) => name === toolbox)
    ?.servers.some((row) => row.server === server);
  return html`<p class="reason">${reason ?? 'The error has no text.'}</p>
    <p class="quiet small">
      ${explanations[outcome]}${code === undefined ? nothing : html` · <code>${code}</code>`}
      ${
        isNamed === true
          ? html` · <button type="button" class="link" @click=${() => showServer(toolbox, server)}>Log of ${server}</button>`
          : nothing
      }
    </p>`;
}

const explanations: Readonly<Record<CallRow['outcome'], string>> = {
  ok: '',
  asked: '',
  error: 'The tool reported this error to the agent. Only its first line is kept.',
  failed: 'There is no result.',
  refused: 'Nothing was sent to the server.',
};

const words = { ok: 'ok', error: 'tool error', asked: 'asked', failed: 'failed', refused: 'refused' };

export function outcomeOf(call: CallRow): TemplateResult {
  const { outcome, code, reason } = call;
  const why = reason ?? code;
  return html`<span class=${isFailure(call) ? 'bad' : 'quiet'}>${words[outcome]}</span>${
    why === undefined ? nothing : html`<span class="why" title=${why}>${why}</span>`
  }`;
}
