import { describe, expect, test } from 'vitest';
import { listedTools } from '../../../test/support/real-tools.js';
import type { OpenToolboxResult } from '../../contract/types.js';
import { describeTools, type Request } from '../opening/open-answer.js';

type Server = keyof typeof listedTools;

/** The answer for a toolbox of these servers. */
function answerFor(servers: readonly Server[], request: Request): Promise<OpenToolboxResult> {
  const frame = { toolbox: 'dev', description: 'For development', servers_connected: servers.length, tools: [] };
  const described = servers.map((server) => ({
    toolbox: 'dev',
    server,
    tools: listedTools[server],
    omissions: {},
    instructions: undefined,
    asks: new Set<string>(),
  }));
  return describeTools(frame, described, [], request, async () => []);
}

/** How many tools are shown as objects, with schemas in rows, with signatures and by name. */
function shownIn({ tools, columns = [], rows = [] }: OpenToolboxResult): number[] {
  const signature = columns.indexOf('signature');
  const names = rows.filter((row) => row.length === columns.indexOf('name') + 1);
  const signed = rows.filter((row) => signature >= 0 && row.length === signature + 1);
  return [tools.length, rows.length - signed.length - names.length, signed.length, names.length];
}

const size = (answer: OpenToolboxResult) => JSON.stringify(answer).length;
const reference: readonly Server[] = ['everything', 'filesystem', 'memory'];
const all = Object.keys(listedTools) as Server[];

// The figures are the answers as they are: a change of them must be wanted.
describe('of real servers', () => {
  test.each([
    [reference, 32_000, 30_074, [36, 0, 0, 0]],
    [reference, 20_000, 18_054, [8, 28, 0, 0]],
    [reference, 7_000, 6_010, [0, 4, 32, 0]],
    [['filesystem', 'memory', 'github'], 20_000, 18_899, [0, 25, 24, 0]],
    [['github'], 20_000, 16_818, [26, 0, 0, 0]],
    [['circleci'], 20_000, 19_281, [0, 2, 11, 0]],
    [['circleci'], 7_000, 6_245, [0, 0, 13, 0]],
    [['chart'], 20_000, 19_208, [0, 0, 25, 0]],
    [['commander'], 20_000, 19_249, [0, 15, 6, 0]],
    [['slides'], 20_000, 19_110, [0, 20, 15, 0]],
    [all, 20_000, 19_004, [0, 5, 161, 0]],
    [all, 7_000, 6_012, [0, 0, 1, 165]],
  ] as const)('%j are listed in %i characters', async (servers, budgetChars, chars, shown) => {
    const answer = await answerFor(servers, { budgetChars });
    expect([size(answer), shownIn(answer)]).toEqual([chars, shown]);
  });

  test('tools keep in 20,000 characters what a call must not do', async () => {
    const { rows = [] } = await answerFor(['circleci'], { budgetChars: 20_000 });
    const hard = listedTools.circleci.filter(({ description }) =>
      description?.slice(0, 1_000).includes('EXACTLY ONE of these'),
    );
    expect(hard.length).toBe(6);
    for (const { name } of hard) {
      const [, , description] = rows.find((row) => row[1] === name) ?? [];
      expect(description).toContain('EXACTLY ONE of these');
    }
  });

  test('each tool alone has its whole schema in 20,000 characters', async () => {
    for (const server of all)
      for (const { name, inputSchema } of listedTools[server]) {
        const { tools } = await answerFor([server], { budgetChars: 20_000, tools: [name] });
        expect(tools.map((tool) => tool.inputSchema)).toEqual([inputSchema]);
      }
  });
});
