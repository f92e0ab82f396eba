import { html, type TemplateResult } from 'lit-html';
import { set, state } from './state.js';

const shownMs = 3_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** A command to be run in a terminal: a click copies it. */
export function command(text: string): TemplateResult {
  return html`<button type="button" class="command" title="Copy" @click=${(event: Event) => copy(event, text)}>
    <code>${text}</code><span class="copied" role="status">${state.copied === text ? 'copied' : ''}</span>
  </button>`;
}

async function copy(event: Event, text: string): Promise<void> {
  // The row that it stands in opens on a click.
  event.stopPropagation();
  // A browser may refuse it; then nothing is said to be copied.
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  if (!isCopied) return;
  set({ copied: text });
  clearTimeout(timer);
  timer = setTimeout(() => set({ copied: undefined }), shownMs);
}
