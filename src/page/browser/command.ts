import { html, type TemplateResult } from 'lit-html';
import { set, state } from './state.js';

/** A command to be run in a terminal: a click copies it. */
export function command(text: string): TemplateResult {
  return html`<button type="button" class="command" title="Copy" @click=${(event: Event) => copy(event, text)}>
    <code>${text}</code><span class="copied" role="status">${state.copied === text ? 'copied' : ''}</span>
  </button>`;
}

async function copy(event: Event, text: string): Promise<void> {
  // The row that it stands in opens on a click.
  event.stopPropagation();
  await navigator.clipboard.writeText(text).catch(() => {});
  set({ copied: text });
}
