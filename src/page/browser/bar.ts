import { html, type TemplateResult } from 'lit-html';

const width = 100;

/** A number, and how much of the most it is. Bars of one column begin at the same place, however long the numbers are. */
export function bar(value: number, most: number): TemplateResult {
  const share = most === 0 ? 0 : Math.max(1, Math.round((value / most) * width));
  return html`<span class="measure"
    ><svg class="share" viewBox="0 0 ${width} 6" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 3H${share}" /></svg
    ><span class="amount">${value.toLocaleString('en')}</span></span
  >`;
}
