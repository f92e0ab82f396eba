import { on } from 'node:events';
import type { CommandListener } from '../../../session/command-session.js';
import { printable } from '../../../text/printable.js';
import type { Question } from '../../../workbench/ports/agent.js';
import type { Output } from '../../frame/screen/output.js';
import { canAsk } from '../../frame/screen/prompt.js';
import { readline } from '../../frame/screen/readline.js';
import { type AskLine, answerApproval, answerForm } from './terminal-form.js';

/**
 * The person at the terminal as the agent of a call: questions of the server are asked there, one at a time. Without a
 * terminal they are declined. `interrupt`: the person pressed Ctrl-C.
 */
export function terminalAgent(output: Output, interrupt: () => void): NonNullable<CommandListener['ask']> {
  let turn = Promise.resolve<unknown>(undefined);
  return (question, signal) => {
    const params = question.params ?? {};
    if (!canAsk() && question.isOwn) return Promise.reject(new Error('there is no terminal to ask on'));
    if (!canAsk()) {
      const { message } = params;
      const asked = typeof message === 'string' ? printable(message) : question.method;
      output.talk(`declined, because there is no terminal: ${asked}`);
      return Promise.resolve({ action: 'decline' });
    }
    const answer = turn.then(() => onTerminal(question, signal, output, interrupt));
    turn = answer.catch(() => {});
    return answer;
  };
}

async function onTerminal(
  { params = {}, isOwn }: Question,
  signal: AbortSignal,
  output: Output,
  interrupt: () => void,
) {
  const terminal = readline().createInterface({ input: process.stdin, output: process.stderr });
  // Lines may be typed or pasted before they are asked for.
  const lines = on(terminal, 'line', { close: ['close'] });
  terminal.once('SIGINT', () => {
    interrupt();
    terminal.close();
  });
  const stop = () => terminal.close();
  signal.addEventListener('abort', stop, { once: true });
  const ask: AskLine = async (question) => {
    // Names of fields are the server's.
    terminal.setPrompt(printable(question));
    terminal.prompt();
    const next: IteratorResult<readonly unknown[], unknown> = await lines.next();
    return next.done === true ? undefined : String(next.value[0]);
  };
  try {
    const say = (text: string) => output.say(text);
    return await (isOwn ? answerApproval(params, ask, say) : answerForm(params, ask, say));
  } finally {
    signal.removeEventListener('abort', stop);
    terminal.close();
  }
}
