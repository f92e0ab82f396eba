import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('node_modules', import.meta.url));
const suite = join(packages, '@modelcontextprotocol', 'conformance');
/** The suite needs a newer Node.js than the project. */
const nodeForSuite = join(packages, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const mostMs = 240_000;
/** Of one scenario; on a busy machine some start several servers. */
const scenarioMs = 120_000;

export type Revision = '2025-11-25' | '2026-07-28';
/** The suite has some scenarios for clients of older revisions. */
type ClientRevision = Revision | '2025-03-26';

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface SuiteRun {
  readonly exitCode: number | null;
  readonly output: string;
  /** The checks of each scenario that has run. */
  readonly checks: ReadonlyMap<string, readonly Check[]>;
}

/** The scenarios that a server must pass to conform to a revision, as defined by the suite. */
export function scoredScenarios(revision: Revision): string[] {
  const text = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const [, section = ''] = /^server:\n((?:[ #].*\n|\n)*)/m.exec(text) ?? [];
  return Array.from(section.matchAll(/^ +- (\S+)/gm), ([, scenario = '']) => scenario);
}

/** The scenarios for a client of a revision. */
export async function clientScenarios(revision: Revision): Promise<string[]> {
  const { output } = await runProgram(['list', '--client', '--spec-version', revision], tmpdir());
  return Array.from(output.matchAll(/^ +- (\S+)/gm), ([, scenario = '']) => scenario);
}

/** Runs one scenario with a command as the client; the suite adds the url of its server to it. Extensions belong to no revision. */
export function runClientScenario(command: string, scenario: string, revision?: ClientRevision): Promise<SuiteRun> {
  const version = revision === undefined ? [] : ['--spec-version', revision];
  return withResults('', (results) =>
    runProgram(['client', '--command', command, '--scenario', scenario, ...version, '-o', results], results),
  );
}

/** Runs the scenarios of a revision against a url. The `SCENARIO:CHECK`s that are expected to fail must fail. */
export async function runSuite(
  url: string,
  revision: Revision,
  expectedFailures: readonly string[],
): Promise<SuiteRun> {
  return withResults('server-', (results) => {
    const args = ['server', '--url', url, '--requirements', revision, '--timeout', String(scenarioMs), '-o', results];
    if (expectedFailures.length > 0) {
      const baseline = join(results, 'expected-failures.yml');
      writeFileSync(baseline, ['server:', ...expectedFailures.map((check) => `  - ${check}`), ''].join('\n'));
      args.push('--expected-failures', baseline);
    }
    return runProgram(args, results);
  });
}

type ProgramRun = Omit<SuiteRun, 'checks'>;

/** Runs the suite with a directory for its results. The folders of scenarios begin with the prefix. */
async function withResults(prefix: string, run: (results: string) => Promise<ProgramRun>): Promise<SuiteRun> {
  const results = mkdtempSync(join(tmpdir(), 'mcp-workbench-conformance-'));
  try {
    return { ...(await run(results)), checks: readChecks(results, prefix) };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

async function runProgram(args: readonly string[], cwd: string): Promise<ProgramRun> {
  const program = join(suite, 'dist', 'index.js');
  const child = spawn(nodeForSuite, [program, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: mostMs });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const [exitCode] = await once(child, 'close');
  return { exitCode, output: output.join('') };
}

/** One folder per scenario, named by prefix, scenario and time; a scenario may be `auth/NAME`. One that was interrupted has no checks. */
function readChecks(results: string, prefix: string): Map<string, readonly Check[]> {
  const checks = new Map<string, readonly Check[]>();
  for (const file of readdirSync(results, { recursive: true, encoding: 'utf8' })) {
    const [, scenario] = /^(.+?)-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/.exec(file.replaceAll('\\', '/')) ?? [];
    if (scenario?.startsWith(prefix) !== true) continue;
    checks.set(scenario.slice(prefix.length), JSON.parse(readFileSync(join(results, file), 'utf8')));
  }
  return checks;
}
