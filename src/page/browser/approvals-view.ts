import { html, nothing, type TemplateResult } from 'lit-html';
import type { Approval, ChangedPart } from '../messages.js';
import { ago } from './amounts.js';
import { command } from './command.js';
import type { State } from './state.js';

/** What is not as it was approved, and the command that approves it. The page approves nothing. */
export function approvalsView({ approvals }: State, now: number): TemplateResult {
  if (approvals === undefined) return html`<p class="quiet">Reading …</p>`;
  const { problem, servers } = approvals;
  return html`${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    <section class="card" aria-labelledby="approvals">
      <header>
        <h2 id="approvals">Approvals</h2>
        <p class="quiet small">what servers say of themselves that is not as you approved it; approving is done in a terminal</p>
      </header>
      ${
        servers.length === 0
          ? html`<p class="note">${problem === undefined ? 'All known tools are as they were approved.' : 'Nothing can be compared.'}</p>`
          : servers.map((one) => approval(one, now))
      }
    </section>`;
}

function approval(found: Approval, now: number): TemplateResult {
  const { toolbox, server, summary, listedAt, isStrict, command: text, parts, leftOut } = found;
  return html`<article class="approval" aria-label="${toolbox} ${server}">
    <h3><span class="name">${toolbox} <span class="quiet">·</span> ${server}</span> <span class="tag warning">${summary}</span></h3>
    <p class="quiet small">
      ${isStrict ? 'Blocked until it is approved' : 'Can be called: its lock is "note"'}${listedAt === undefined ? '' : `, listed ${ago(listedAt, now)}`}
    </p>
    <p>To see it whole and approve it: ${command(text)}</p>
    ${parts.map(part)}
    ${leftOut === 0 ? nothing : html`<p class="quiet">and ${leftOut} more; the command shows them</p>`}
  </article>`;
}

function part({ sign, title, note = 'changed', lines }: ChangedPart): TemplateResult {
  const heading = html`<span class="name">${title}</span> <span class="quiet small">${note}</span>`;
  if (lines.length === 0) return html`<p class="part">${heading}</p>`;
  return html`<details class="part" ?open=${sign === '~'}>
    <summary>${heading}</summary>
    <pre class="difference" tabindex="0" role="region" aria-label="Differences of ${title}">${lines.map(line)}</pre>
  </details>`;
}

function line(text: string): TemplateResult {
  const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
  return html`<span class="line ${kind}">${text}</span>`;
}
