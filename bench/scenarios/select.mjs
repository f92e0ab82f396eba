import { withOwnHosts } from '../rig/hosts.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { fakeServer, hasBefore, whileOpen } from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const bytes = 5_000_000;
/** × parsing the result and the JSON in its text. */
const limit = 1.5;
const expressions = {
  path: '[4321].title',
  filter: "[?labels[0].name=='timeout'].{n: number, t: title}",
  'all of a field': '[].labels[].name | unique(@)',
  sort: 'sort_by(@, &comments)[-1].number',
};
const systems = () => ['workbench', 'shared', ...(hasBefore() ? ['before'] : [])];

/** What `select` costs on a result of 5 MB: the evaluation alone, and calls with and without it. */
export function select({ quick, inherit }) {
  return withOwnHosts(() =>
    whileOpen(systems(), { server: fakeServer() }, { inherit }, async (open) => {
      const call = (name, result) => open.get(name).call('server', 'blob', { bytes, pattern: 'list' }, result);
      const line = JSON.stringify(await call('workbench'));
      return report(await evaluated(line, quick ? 7 : 41), await called(call, quick ? 3 : 21));
    }),
  );
}

async function evaluated(line, rounds) {
  const { selectFrom } = await import('../../dist/index.mjs');
  const parse = () => JSON.parse(JSON.parse(line).content[0].text).length;
  const ways = new Map([['parsing', parse]]);
  for (const [name, expression] of Object.entries(expressions))
    ways.set(name, () => selectFrom(JSON.parse(line), expression));
  const once = (name) => {
    const begun = performance.now();
    ways.get(name)();
    return performance.now() - begun;
  };
  for (let warmUp = 0; warmUp < 3; warmUp++) for (const name of ways.keys()) once(name);
  return interleave([...ways.keys()], rounds, once);
}

async function called(call, rounds) {
  const ways = new Map(
    systems().flatMap((system) => [
      [`${system}, whole`, () => call(system)],
      [`${system}, select`, () => call(system, { select: expressions.filter })],
    ]),
  );
  const once = async (name) => {
    const begun = performance.now();
    await ways.get(name)();
    return performance.now() - begun;
  };
  for (const name of ways.keys()) for (let warmUp = 0; warmUp < 2; warmUp++) await once(name);
  return interleave([...ways.keys()], rounds, once);
}

function report(evaluation, calls) {
  const ms = (values, name) => median(values.get(name));
  const ratio = (name) => ms(evaluation, name) / ms(evaluation, 'parsing');
  const row = (values, name) => ({
    rounds: values.get(name).length,
    'median ms': fixed(ms(values, name), 1),
    '± ms': fixed(spread(values.get(name)), 1),
  });
  return {
    title: 'Select',
    parts: [
      'A result of 5 MB whose text is a JSON list. `parsing` is `JSON.parse` of the result and of its text; the others do the same and evaluate an expression, as `selectFrom` of the package:',
      table(
        Array.from(evaluation.keys(), (name) => ({
          what: name,
          ...row(evaluation, name),
          '× parsing': fixed(ratio(name), 2),
        })),
      ),
      `Calls with that result, and with the expression \`\` ${expressions.filter} \`\`; the client parses what it gets:`,
      table(Array.from(calls.keys(), (name) => ({ call: name, ...row(calls, name) }))),
    ],
    checks: Object.keys(expressions).map((name) => atMost(`select on 5 MB, ${name}, × parsing`, ratio(name), limit)),
  };
}
