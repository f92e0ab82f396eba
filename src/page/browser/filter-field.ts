import { html, type TemplateResult } from 'lit-html';

/** A field that filters what is shown with every key. */
export function filterField(text: string, onText: (text: string) => void): TemplateResult {
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLInputElement) onText(target.value);
  };
  return html`<label class="field"
    >Filter
    <input type="search" .value=${text} @input=${onInput} autocomplete="off" spellcheck="false" />
  </label>`;
}

/** Whether a text in lower case has all words of a filter. */
export function createFilter(filter: string): (text: () => string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.length === 0 || words.every((word) => text().includes(word));
}
