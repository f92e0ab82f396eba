import { isWordy } from './plain.js';

export const hiddenMark = '•••';

// What tokens of many services begin with. The rest has to mix letters and digits: `sk-learn-documentation` is a name.
const beginnings = [
  ...['gh[opsur]_', 'github_pat_', 'glpat-', 'gldt-', 'xox[abeprs]-', 'xapp-', '[prs]k[-_]', 'whsec_', 'lin_api_'],
  ...['ntn_', 'figd_', 'hf_', 'pypi-', 'sbp_', 'pplx-', 'tvly-', 'fc-', 'apify_api_', 'gsk_', 'r8_', 'xai-'],
  ...['dckr_pat_', 'dop_v1_', 'dp\\.pt\\.', 'shp(?:at|ss)_', 'ATATT3', 'PMAK-', 'hvs\\.', 'sntrys_', 'glc_'],
  ...['AIza', 'ya29\\.', 'SG\\.', 'nvapi-', 'AGE-SECRET-KEY-', 'pat-(?:na|eu)1-'],
].join('|');
const forms = [
  String.raw`(?:${beginnings})[\w.-]{14,}`,
  String.raw`A(?:KIA|SIA|GPA|IDA|ROA)[A-Z0-9]{11,}`,
  'npm_[A-Za-z0-9]{30,}',
  'dapi[0-9a-f]{32}',
  // JSON web tokens begin with `{"`, in base64.
  String.raw`eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?`,
  String.raw`\d{8,10}:[\w-]{35}`,
].join('|');
const knownForm = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${forms})`, 'g');
const cutForm = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${beginnings}|AKIA|ASIA|eyJ)[\w.~+/=-]*$`);
const privateKey = /-----BEGIN [A-Z ]{0,40}KEY[A-Z ]{0,20}-----[^]*?(?:-----END [A-Z ]{0,60}-----|$)/g;

/** The tokens in a text that are secrets because of their form alone, and private keys. */
export function knownFormsIn(text: string): string[] {
  const all: string[] = [];
  replaceKnownForms(text, (token) => {
    all.push(token);
    return '';
  });
  return all;
}

export function replaceKnownForms(text: string, replacement: (token: string) => string): string {
  return text
    .replace(privateKey, replacement)
    .replace(knownForm, (token) => (isWordy(token) ? token : replacement(token)));
}

/** `isCut`: the text may end inside of a token. */
export function hideKnownForms(text: string, mark: string, isCut = false): string {
  const hidden = replaceKnownForms(text, () => mark);
  return isCut ? hidden.replace(cutForm, () => mark) : hidden;
}
