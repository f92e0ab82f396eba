import { programName } from './program-name.js';

/**
 * Whether a command line runs Python with `-m` or `-c`: then Python imports modules from its working directory. A script is
 * different: what is beside it belongs to it.
 */
export function importsFromDirectory(commandLine: readonly string[]): boolean {
  const words = commandLine.flatMap((word) => word.split(/[\s;&|()"']+/)).filter((word) => word !== '');
  return words.some((word, index) => {
    const isPython = /^(?:pythonw?|pypy|pyw?)[\d.]*$/.test(programName(word));
    return isPython && runsText(words.slice(index + 1));
  });
}

function runsText(rest: readonly string[]): boolean {
  for (const [index, word] of rest.entries()) {
    // `-m MODULE`, `-mMODULE`, and after other flags in one word: `-um MODULE`. `-X` and `-W` take the rest as their value.
    if (/^-[A-VY-Za-z]*?[mc]/.test(word) && !word.startsWith('--')) return true;
    // Everything after the name of a script belongs to the script; the value of an option is no option.
    if (!word.startsWith('-') && !/^-[WX]$/.test(rest[index - 1] ?? '')) return false;
  }
  return false;
}
