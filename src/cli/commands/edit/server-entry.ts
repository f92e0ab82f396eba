import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AddWish } from './add-wish.js';
import type { EditRequest } from './edit-request.js';

/** A value of an option that stands in the entry under a name. */
export interface NamedText {
  readonly key: 'env' | 'headers';
  readonly name: string;
  readonly value: string;
}

type Asked = Pick<EditRequest, 'values' | 'value' | 'computer'>;

/** The variables and headers of the options, or what is wrong with one. */
export function namedTexts({
  values,
}: Pick<EditRequest, 'values'>): readonly NamedText[] | { readonly problem: string } {
  const texts: NamedText[] = [];
  for (const given of values('env')) {
    const [, name = '', hasValue, value = ''] = /^([^=]*)(=)?([^]*)$/.exec(given) ?? [];
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return { problem: `-e needs NAME or NAME=VALUE, and '${name}' is not the name of a variable.` };
    texts.push({ key: 'env', name, value: hasValue === undefined ? `\${${name}}` : value });
  }
  for (const given of values('header')) {
    const [, name = '', value = ''] = /^([^:\s]+)\s*:\s*([^]*)$/.exec(given) ?? [];
    if (name === '') return { problem: `--header needs 'NAME: VALUE', such as 'Authorization: Bearer \${TOKEN}'.` };
    texts.push({ key: 'headers', name, value });
  }
  return texts;
}

/** The entry of the configuration. */
export function entryOf(wish: AddWish, texts: readonly NamedText[], asked: Asked, configFile: string): object {
  const { target } = wish;
  const held = (key: NamedText['key']) => {
    const own = texts.filter((text) => text.key === key).map(({ name, value }) => [name, value] as const);
    return own.length === 0 ? {} : { [key]: Object.fromEntries(own) };
  };
  const place = (key: string, option: string) => {
    const given = asked.value(option);
    return given === undefined ? {} : { [key]: pathFor(given, configFile, asked.computer.cwd) };
  };
  const common = { ...held('env'), ...held('headers'), ...place('cwd', 'cwd'), ...place('envFile', 'env-file') };
  if ('url' in target) return { url: target.url, ...common };
  const command = /^\.{1,2}[/\\]/.test(target.command)
    ? path.resolve(asked.computer.cwd, target.command)
    : target.command;
  return { command, ...(target.args.length > 0 && { args: target.args }), ...common };
}

/** A path that was typed in this directory, for a file that may be elsewhere. */
function pathFor(typed: string, configFile: string, cwd: string): string {
  if (typed.includes('${') || typed.startsWith('~')) return typed;
  const absolute = path.resolve(cwd, typed);
  const relative = path.relative(path.dirname(configFile), absolute);
  const isBelow = !relative.startsWith('..') && !path.isAbsolute(relative);
  return isBelow ? `./${relative.split(path.sep).join('/')}` : absolute;
}

/** An argument that is a file of this directory: the program may be started in another one. */
export function localArgument({ target }: AddWish, { value, computer }: Asked): string | undefined {
  if ('url' in target || value('cwd') !== undefined) return undefined;
  return target.args.find(
    (word) => /^[^-/\\.][^:]*\.\w+$|^\.{1,2}[/\\]/.test(word) && existsSync(path.resolve(computer.cwd, word)),
  );
}
