import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { CallRow } from '../../inspect/call-log.js';
import { kilobytes, timeOfDay, took } from './amounts.js';
import { isFailure } from './statistics.js';

/**
 * A table of calls, newest first. `caption` names it for those who do not see it. With roles: on narrow screens it is laid out without
 * the display types of tables.
 */
export function callTable(calls: readonly CallRow[], caption: string): TemplateResult {
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
          <th role="columnheader" scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(calls, ({ id }) => id, callRow)}
      </tbody>
    </table>
  </div>`;
}

function callRow(call: CallRow): TemplateResult {
  const { at, toolbox, server, tool, client, ms, sent, received } = call;
  return html`<tr role="row">
    <td role="cell" class="time">${timeOfDay(at)}</td>
    <td role="cell" class="name">${toolbox}</td>
    <td role="cell" class="name">${server}</td>
    <td role="cell" class="name tool-name">${tool}</td>
    <td role="cell" class="client">${client}</td>
    <td role="cell" class="number took">${took(ms)}</td>
    <td role="cell" class="number size" data-label="sent">${kilobytes(sent)}</td>
    <td role="cell" class="number size" data-label="received">${kilobytes(received)}</td>
    <td role="cell" class="outcome">${outcomeOf(call)}</td>
  </tr>`;
}

const words = { ok: 'ok', error: 'tool error', asked: 'asked', failed: 'failed', refused: 'refused' };

export function outcomeOf(call: CallRow): TemplateResult {
  const { outcome, code } = call;
  return html`<span class=${isFailure(call) ? 'bad' : 'quiet'}
    >${words[outcome]}${code === undefined ? nothing : html` <small>${code}</small>`}</span
  >`;
}
