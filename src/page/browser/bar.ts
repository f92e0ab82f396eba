import { html, type TemplateResult } from 'lit-html';

const width = 100;

/** How much of the most; the number stands beside it. */
export function bar(value: number, most: number): TemplateResult {
  const share = most === 0 ? 0 : Math.max(1, Math.round((value / most) * width));
  return html`<svg class="share" viewBox="0 0 ${width} 6" preserveAspectRatio="none" aria-hidden="true">
    <path d="M0 3H${share}" />
  </svg>`;
}
