// Runs the tests as on other machines, one row after the other, then prints a table.
//   npm run check:machines                        every row, about six minutes each
//   npm run check:machines -- --row "one core"    only this row; may be repeated
//   npm run check:machines -- --list
//   npm run check:machines -- test/calls          only these files in each row
import { spawn } from 'node:child_process';
import { cpSync, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyWorkTree } from './copy-work-tree.mjs';
import { installApart } from './install-apart.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const machines = join(root, 'test', 'machines');
const logs = join(root, '.cache', 'machines');
const nobody = 65_534;

/** Calls, lifecycle and questions. */
const servingFiles = [
  ...['calls/forwarding', 'calls/use-tool', 'opening/open-toolbox', 'questions/forwarding'],
  ...['crash', 'disconnect', 'ending', 'orphans'].map((name) => `lifecycle/${name}`),
  ...['eras', 'first-requests', 'handshake'].map((name) => `protocol/${name}`),
].map((name) => `test/${name}.test.ts`);

const shell = (script) => (command) => ['sh', '-c', `${script}; exec "$@"`, 'sh', ...command];
const onNode = (major) => ({ node: join(machines, 'node_modules', `node-${major}-${process.arch}`, 'bin', 'node') });
const withNpm = (major, node) => ({
  ...(node && onNode(node)),
  npm: join(machines, 'node_modules', `npm-${major}`, 'bin'),
  files: ['test/runners'],
});
const asNobody = (command) => ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command];

/**
 * `through` wraps the test command in another; `env` is added to the environment; `busy` keeps every core busy meanwhile;
 * `copyTo` runs the tests in a copy of the work tree below a directory of that name; `owner` is the owner of the copy;
 * `npm` has the programs of another npm; `config` is another configuration of vitest; `files` are those that are run if none are named.
 */
const rows = {
  'as it is': {},
  // Every session runs its servers itself, without a host.
  alone: { env: { WORKBENCH_TESTS_ALONE: '1' }, files: servingFiles },
  'all cores busy': { busy: true },
  'one core': { through: (command) => ['taskset', '-c', '0', ...command] },
  'another user': { through: asNobody, copyTo: 'another-user', owner: nobody, needsRoot: true },
  'odd path': { copyTo: "it's ä path with späces ✓ & more" },
  '256 descriptors': { through: shell('ulimit -n 256') },
  'umask 077': { through: shell('umask 077') },
  'locale and time zone': { env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Chatham' } },
  'stdin empty': { through: shell('exec < /dev/null') },
  'stdin closed': { through: shell('exec <&-') },
  'Node 20.19': onNode(20),
  'Node 22': onNode(22),
  'Node 24': onNode(24),
  'Node 26': onNode(26),
  'npm 8': withNpm(8),
  'npm 10': withNpm(10),
  'npm 11': withNpm(11),
  'npm 12': withNpm(12, 24),
  'heavy cases': { config: 'test/machines/vitest.config.ts' },
};

async function runRow(name, files) {
  const { needsRoot = false, busy = false, ...row } = rows[name];
  if (needsRoot && process.getuid() !== 0) return { name, verdict: 'skipped: needs root', ms: 0 };
  const begun = performance.now();
  const stopLoad = busy ? keepBusy() : () => {};
  const place = row.copyTo === undefined ? undefined : await makeCopy(row.copyTo, row.owner);
  try {
    const log = join(logs, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.log`);
    const named = files.length > 0 ? files : (row.files ?? []);
    const code = await runTests(row, place?.folder ?? root, place?.home, named, log);
    return { name, ms: performance.now() - begun, ...readVerdict(log, code) };
  } finally {
    stopLoad();
    place?.remove();
  }
}

async function makeCopy(directory, owner) {
  const top = mkdtempSync(join(tmpdir(), 'mcp-workbench-machines-'));
  const [folder, home] = [join(top, directory, 'project'), join(top, directory, 'home')];
  mkdirSync(home, { recursive: true });
  await copyWorkTree(root, folder);
  cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  if (owner !== undefined) await finished(spawn('chown', ['-R', `${owner}:${owner}`, top], { stdio: 'inherit' }));
  return { folder, home, remove: () => rmSync(top, { recursive: true, force: true }) };
}

function keepBusy() {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  );
  return () => loops.forEach((loop) => loop.kill('SIGKILL'));
}

async function runTests(
  { through = (command) => command, node = process.execPath, npm, env, config },
  cwd,
  home,
  files,
  log,
) {
  const vitest = join(cwd, 'node_modules', 'vitest', 'vitest.mjs');
  const chosen = config === undefined ? files : ['--config', config];
  const [command, ...args] = through([node, vitest, 'run', ...chosen]);
  // First on the PATH too, for processes that are started as `node`.
  const path = [...(npm === undefined ? [] : [linksTo(npm)]), dirname(node), process.env.PATH].join(':');
  // npm's settings point to directories of the current user.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const child = spawn(command, args, {
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      PATH: path,
      NO_COLOR: '1',
      ...(home === undefined ? {} : { HOME: home }),
      ...env,
    },
    stdio: ['inherit', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
  const code = await finished(child);
  await new Promise((resolve) => file.end(resolve));
  return code;
}

/** The programs of an npm, by the names that people use. */
function linksTo(npm) {
  const folder = join(logs, 'npm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['npm', 'npx']) symlinkSync(join(npm, `${name}-cli.js`), join(folder, name));
  return folder;
}

function finished(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
}

/** Reads the count that the tests print last; a run without one has failed. */
function readVerdict(log, code) {
  const text = readFileSync(log, 'utf8');
  const [, passed = '0', failed = '1'] = text.match(/^(\d+) passed, (\d+) failed$/m) ?? [];
  const named = text.match(/^failed: .*(?:\n {2}.*)*/gm);
  // A run that was ended before its last lines has those of the tests.
  const failures =
    named ?? Array.from(new Set(text.match(/^ FAIL .*$/gm)), (line) => line.replace(' FAIL ', 'failed:'));
  const isGood = code === 0 && failed === '0';
  // Killed from outside, for want of memory too.
  if (typeof code === 'string') failures.push(`failed: the tests were ended by ${code}`);
  return { passed: Number(passed), failed: isGood ? 0 : Math.max(1, Number(failed)), failures, log };
}

function printTable(results) {
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const { name, verdict, passed, failed, failures = [], ms, log } of results) {
    const counts = verdict ?? `${failed === 0 ? 'passed' : 'FAILED'}  ${passed} passed, ${failed} failed`;
    console.log(`${name.padEnd(width)}  ${String(Math.round(ms / 1000)).padStart(5)} s  ${counts}`);
    if (failed > 0) console.log([log, ...failures].join('\n'));
  }
}

const { values, positionals } = parseArgs({
  options: { row: { type: 'string', multiple: true }, list: { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = values.row ?? Object.keys(rows);
const unknown = chosen.filter((name) => !Object.hasOwn(rows, name));
if (process.platform !== 'linux') throw new Error('check:machines needs Linux: taskset, setpriv, /proc');
if (unknown.length > 0) throw new Error(`unknown row: ${unknown.join(', ')}; known: ${Object.keys(rows).join(', ')}`);

if (values.list) {
  console.log(Object.keys(rows).join('\n'));
} else {
  mkdirSync(logs, { recursive: true });
  if (chosen.some((name) => (rows[name].node ?? rows[name].npm) !== undefined)) installApart(machines);
  const results = [];
  for (const name of chosen) {
    console.log(`running: ${name}`);
    results.push(await runRow(name, positionals));
  }
  printTable(results);
  const sum = (what) => results.reduce((total, result) => total + (result[what] ?? 0), 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
}
