import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { RunningCall } from '../../inspect/call-log.js';
import { clientTitle } from '../../text/client-title.js';
import { duration } from './amounts.js';
import { command } from './command.js';

/** The calls that run now; nothing if there is none. */
export function runningView(calls: readonly RunningCall[], now: number): TemplateResult | typeof nothing {
  if (calls.length === 0) return nothing;
  return html`<section class="card" aria-labelledby="running">
    <header>
      <h2 id="running">Running</h2>
      <p class="quiet small">calls that take longer than a second</p>
    </header>
    <div class="scroll" role="region" aria-label="Running calls" tabindex="0">
      <table class="calls" role="table">
        <caption class="unseen">
          Running calls, oldest first
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Toolbox</th>
            <th role="columnheader" scope="col">Server</th>
            <th role="columnheader" scope="col">Tool</th>
            <th role="columnheader" scope="col">Client</th>
            <th role="columnheader" scope="col" class="number">For</th>
            <th role="columnheader" scope="col">Last progress</th>
            <th role="columnheader" scope="col">To end it</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${repeat(
            calls,
            ({ id }) => id,
            (call) => runningRow(call, now),
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function runningRow({ id, toolbox, server, tool, client, since, progress }: RunningCall, now: number): TemplateResult {
  return html`<tr role="row" class="call">
    <td role="cell" class="name">${toolbox}</td>
    <td role="cell" class="name">${server}</td>
    <td role="cell" class="name tool-name">${tool}</td>
    <td role="cell" class="client">${clientTitle(client ?? '')}</td>
    <td role="cell" class="number took">${duration(now - since)}</td>
    <td role="cell">${progress ?? '–'}</td>
    <td role="cell">${command(`mcp-workbench cancel ${id}`)}</td>
  </tr>`;
}
