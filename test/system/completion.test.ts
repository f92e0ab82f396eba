import { expect, test } from 'vitest';
import { everywhere, openShell } from '../support/completing.js';

// bash is in the normal suite; these shells have to be installed.

const shells: Record<string, { readonly command: string[]; readonly load: string; readonly show: string }> = {
  zsh: {
    command: ['zsh', '-f', '-i'],
    load: 'autoload -U compinit; compinit -u -D; unsetopt beep; eval "$(mcp-workbench completion zsh)"',
    show: 'shown() { printf "<%s>" "${@:2}"; printf "<end>\\n"; }',
  },
  fish: {
    command: ['fish', '--no-config', '-i'],
    load: 'mcp-workbench completion fish | source',
    show: 'function shown; printf "<%s>" $argv[2..-1]; printf "<end>\\n"; end',
  },
};

test.each(Object.entries(shells))('%s completes commands, options and names, with spaces as well', async (_, shell) => {
  const { completed, end } = await openShell(shell.command, shell);
  for (const [typed, words] of everywhere) expect(await completed(typed), typed).toBe(words);
  expect(await end()).toBe(0);
});
