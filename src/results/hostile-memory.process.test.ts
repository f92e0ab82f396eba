import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { bundleProgram } from '../../test/support/program.js';

/** Applies every case, and says before each what it is; without cases, what the inputs take, in MB. */
const program = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { parentPort, workerData } from 'node:worker_threads';
  import { costly, hostileResults } from '../test/support/hostile-results.js';
  import { findIn } from './results/find.js';
  import { outlineValue } from './results/outline.js';
  import { pageOfText, pageOfValue } from './results/page.js';
  import { evaluate } from './results/select/evaluate.js';
  import { isSelectFault } from './results/select/fault.js';
  import { parseExpression } from './results/select/parse.js';
  import { contentOf } from './results/value.js';

  function select(expression, value) {
    try {
      pageOfValue(evaluate(parseExpression(expression), value), 0, 48_000);
    } catch (error) {
      if (!isSelectFault(error)) throw error;
    }
  }

  function read(source) {
    const content = contentOf({ content: [{ type: 'text', text: source }] });
    findIn(content, 'absent', 8_000);
    outlineValue(content.value);
    if (content.isText) pageOfText(content.value, 0, 48_000);
    else pageOfValue(content.value, 0, 48_000);
  }

  if (workerData.measures) {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    parentPort.postMessage(process.memoryUsage().heapUsed / 1_048_576);
  } else {
    for (const [name, expression, value] of costly) {
      parentPort.postMessage(name);
      select(expression, value);
    }
    for (const [name, source] of hostileResults) {
      parentPort.postMessage(name);
      read(source);
    }
    parentPort.postMessage('all of them');
  }
`;

// Each promises 32 MB. What is asserted is twice as much: before it collects them, V8 keeps the remains of the case before.
const maxMoreMb = 64;

/** Runs it in a thread whose heap has a limit. Returns the last that it said, and how it ended. */
async function run(code: string, workerData: object, heapMb: number) {
  const url = new URL(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 };
  const worker = new Worker(url, { workerData, resourceLimits });
  let last: unknown;
  let error: unknown;
  worker.on('message', (said) => void (last = said)).on('error', (problem) => void (error = problem));
  await new Promise((resolve) => worker.once('exit', resolve));
  return { last, error };
}

test('hostile expressions and results take little more memory than the results themselves', async () => {
  const code = await bundleProgram(program);
  const { last: inputMb } = await run(code, { measures: true }, 4_000);
  expect(inputMb).toBeGreaterThan(50);
  expect(await run(code, {}, Number(inputMb) + maxMoreMb)).toEqual({ last: 'all of them', error: undefined });
});
