export interface Chromium {
  open(address: string, options?: OpenOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly motion?: 'reduce' | 'no-preference';
  /** Whether axe will look at it. */
  readonly isChecked?: boolean;
  /** Whether it accepts certificates of tests. */
  readonly isTrusting?: boolean;
  readonly timeZone?: string;
}

export interface OpenedPage {
  readonly page: BrowserPage;
  /** The addresses that were asked for. */
  readonly requests: readonly string[];
  /** What the browser wrote to its console, errors, and dialogs. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** What the tests use of playwright, which is not installed with the project. */
export interface BrowserPage {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  goto(address: string): Promise<unknown>;
  reload(): Promise<unknown>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  url(): string;
  locator(selector: string): BrowserElement;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): BrowserElement;
  getByLabel(text: string): BrowserElement;
  evaluate(code: string): Promise<unknown>;
  screenshot(options: { readonly path: string }): Promise<unknown>;
  waitForEvent(event: 'download'): Promise<{ path(): Promise<string> }>;
}

export interface BrowserElement {
  locator(selector: string): BrowserElement;
  first(): BrowserElement;
  nth(index: number): BrowserElement;
  filter(options: { readonly hasText: string | RegExp }): BrowserElement;
  waitFor(): Promise<void>;
  click(): Promise<void>;
  focus(): Promise<void>;
  fill(text: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  count(): Promise<number>;
  innerText(): Promise<string>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  allInnerTexts(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
}

export function launchChromium(): Promise<Chromium>;
export function axeFindings(page: BrowserPage): Promise<string[]>;
