import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { CallRow } from '../messages.js';
import { kilobytes, timeOfDay, took } from './amounts.js';
import { isFailure } from './statistics.js';

/** A table of calls, newest first. `caption` names it for those who do not see it. */
export function callTable(calls: readonly CallRow[], caption: string): TemplateResult {
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0">
    <table class="calls">
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Toolbox</th>
          <th scope="col">Server</th>
          <th scope="col">Tool</th>
          <th scope="col">Client</th>
          <th scope="col" class="number">Took</th>
          <th scope="col" class="number">Sent</th>
          <th scope="col" class="number">Received</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        ${repeat(calls, ({ id }) => id, callRow)}
      </tbody>
    </table>
  </div>`;
}

function callRow(call: CallRow): TemplateResult {
  const { at, toolbox, server, tool, client, ms, sent, received } = call;
  return html`<tr>
    <td class="time">${timeOfDay(at)}</td>
    <td class="name">${toolbox}</td>
    <td class="name">${server}</td>
    <td class="name">${tool}</td>
    <td>${client}</td>
    <td class="number">${took(ms)}</td>
    <td class="number">${kilobytes(sent)}</td>
    <td class="number">${kilobytes(received)}</td>
    <td>${outcomeOf(call)}</td>
  </tr>`;
}

const words = { ok: 'ok', error: 'tool error', asked: 'asked', failed: 'failed', refused: 'refused' };

export function outcomeOf(call: CallRow): TemplateResult {
  const { outcome, code } = call;
  return html`<span class=${isFailure(call) ? 'bad' : 'quiet'}
    >${words[outcome]}${code === undefined ? nothing : html` <small>${code}</small>`}</span
  >`;
}
