import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import type { Overview } from '../../config/overview.js';
import type { Tool } from '../../contract/types.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

function overviewOf(
  count: number,
  description: string | undefined | ((index: number) => string),
  name = numbered('toolbox-'),
  servers: readonly string[] = ['one', 'two'],
): Overview {
  const toolboxes = Array.from({ length: count }, (_, index) => ({
    name: name(index),
    description: typeof description === 'function' ? description(index) : description,
    servers,
  }));
  return { configFile: '/home/me/workbench-config.json', toolboxes };
}

function numbered(prefix: string): (index: number) => string {
  return (index) => `${prefix}${index}`;
}

function descriptionOf(overview: Overview): string {
  return metaTools(overview)[0]?.description ?? '';
}

function useDescriptionOf(overview: Overview): string {
  return metaTools(overview)[1]?.description ?? '';
}

/** The enum of the parameter `toolbox` of open_toolbox. */
function choicesOf(overview: Overview): unknown {
  const properties = metaTools(overview)[0]?.inputSchema['properties'] as { toolbox: { enum?: unknown } };
  return properties.toolbox.enum;
}

/** What every client shows to its model before the first call. */
function tokensAtStart(overview: Overview): number {
  const tools = metaTools(overview).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return countTokens(instructions(overview)) + countTokens(JSON.stringify(tools));
}

describe('the instructions', () => {
  test('explain how to work first, then list the toolboxes', () => {
    const text = instructions(overviewOf(2, 'Files and memory'));
    expect(text.indexOf('open_toolbox')).toBeLessThan(text.indexOf('- toolbox-0 (one, two)'));
    expect(text).toContain(
      'use_tool({"tool":{"toolbox":"toolbox-0","server":"one","name":"a_tool_it_lists"},"arguments":{}})',
    );
    expect(text).toContain('Configuration: /home/me/workbench-config.json');
    expect(text).toContain('- toolbox-1 (one, two): Files and memory');
  });

  test('name each server once where no toolbox has a description', () => {
    const overview = overviewOf(2, undefined, numbered('box-'), ['github', 'files']);
    const text = instructions(overview);
    expect(text.split('Toolboxes:\n')[1]).toBe('- box-0 (github, files)\n- box-1 (github, files)');
    expect(descriptionOf(overview).split('\n')).toHaveLength(2);
    expect(descriptionOf(overview)).not.toContain('undefined');
  });

  test('say so when nothing is configured, and how to add a toolbox', () => {
    const text = instructions({ configFile: '/x.json', toolboxes: [] });
    expect(text).toContain('no toolbox configured');
    expect(text).toContain('"mcpServers"');
    expect(text).toContain('/x.json');
  });

  test('name the embedded default as such', () => {
    expect(instructions({ ...overviewOf(1, 'Help'), configFile: undefined })).toContain('embedded default');
  });

  test('do not show a cut name in their example', () => {
    const text = instructions(overviewOf(1, 'Files', () => 'n'.repeat(100)));
    expect(text).toContain('"toolbox":"TOOLBOX","server":"one"');
  });
});

describe('the texts an agent sees first', () => {
  test('list names and purposes in the description of open_toolbox too, and names in its enum', () => {
    const overview = overviewOf(3, (index) => `Purpose\n number ${index}`);
    expect(descriptionOf(overview)).toContain('\ntoolbox-1: Purpose number 1\n');
    expect(choicesOf(overview)).toEqual(['toolbox-0', 'toolbox-1', 'toolbox-2', '*']);
  });

  test.each([
    [1, 10_000],
    [5, 1_000],
    [30, 500],
    [80, 500],
    [400, 10],
  ])('stay within 2,000 characters with %i toolboxes of %i characters each, and name them', (count, length) => {
    const overview = overviewOf(count, 'd'.repeat(length));
    for (const text of [instructions(overview), descriptionOf(overview), useDescriptionOf(overview)]) {
      expect(text.length).toBeLessThanOrEqual(2_000);
      expect(text).toContain('toolbox-0');
      if (count <= 80) expect(text).toContain(`toolbox-${count - 1}`);
      else expect(text).toContain('open_toolbox lists the rest');
    }
  });

  const english = 'Tools for working with files, databases and deployments of the current project. ';
  const descriptions: Readonly<Record<string, string>> = {
    'short English': 'Files and memory for development',
    'long English': english.repeat(200),
    'long German': 'Werkzeuge zum Lesen von Dateien und zum Verwalten der Entwicklungsumgebung für alle. '.repeat(50),
    'long Hungarian': 'Eszközök fájlok, adatbázisok és telepítések kezeléséhez a fejlesztői környezetben. '.repeat(50),
    'long Chinese': '可以直接通过搜索必应并获取网页内容的中文搜索工具，'.repeat(100),
    'long Russian': 'Инструменты для работы с файлами и базами данных проекта. '.repeat(50),
    emoji: '🚀🔧📦🎉'.repeat(100),
    'one letter': 'x'.repeat(5_000),
    'names of things': 'kubectl nginx grpc sqlx dbt k8s PHASE_ONE v1.2.3 camelCaseWords '.repeat(50),
    keys: 'f3a9b1c7e2d84506 '.repeat(100),
    'escaped characters': 'say "hi" \\ and "bye"\n'.repeat(100),
  };
  const names: Readonly<Record<string, (index: number) => string>> = {
    words: (index) => `${['dev', 'web', 'data', 'ops', 'office'][index % 5]}${index < 5 ? '' : index}`,
    'hyphenated names': numbered('google-workspace-team-'),
    'Chinese names': numbered('工具箱'),
    'very long names': (index) => `${'a toolbox with quite a long name '.repeat(10)}${index}`,
    'sentences as names': numbered('everything that the people in sales need, '),
  };
  const cases = Object.keys(descriptions).flatMap((description) =>
    Object.keys(names).map((name) => [description, name]),
  );

  test.each(cases)(
    'cost at most 850 tokens for 5 toolboxes and 1,600 for 30: %s, %s',
    (description = '', name = '') => {
      for (const [count, most] of [
        [1, 850],
        [5, 850],
        [30, 1_600],
      ] as const) {
        for (const configFile of ['/home/someone/projects/website/workbench-config.json', undefined]) {
          const overview = { ...overviewOf(count, descriptions[description] ?? '', names[name]), configFile };
          expect(tokensAtStart(overview)).toBeLessThanOrEqual(most);
          expect(instructions(overview).length).toBeLessThanOrEqual(2_000);
          expect(descriptionOf(overview).length).toBeLessThanOrEqual(2_000);
          expect(useDescriptionOf(overview).length).toBeLessThanOrEqual(2_000);
        }
      }
    },
  );

  test.each(['short English', 'long English', 'names of things'])(
    'cost at most 500 tokens for one toolbox of two servers and 700 for eight: %s',
    (description) => {
      for (const [count, most] of [
        [1, 500],
        [8, 700],
      ] as const) {
        const overview = overviewOf(count, descriptions[description] ?? '', names['words'], ['github', 'postgres']);
        expect(tokensAtStart(overview)).toBeLessThanOrEqual(most);
        expect(descriptionOf(overview)).toContain(`: ${descriptions[description]?.slice(0, 20)}`);
      }
    },
  );

  test('keep descriptions while they fit: in both texts, then only in that of open_toolbox', () => {
    const few = overviewOf(5, 'Files and memory for development', names['words']);
    expect(instructions(few)).toContain('office (one, two): Files and memory for development');
    expect(descriptionOf(few)).toContain('office: Files and memory for development');
    const many = overviewOf(30, english, names['words']);
    expect(instructions(many)).toContain('office29');
    expect(instructions(many)).not.toContain('Tools for');
    expect(descriptionOf(many)).toContain('office29: Tools for');
  });

  const real = ['filesystem', 'git', 'github', 'postgres', 'sentry', 'slack', 'linear', 'figma', 'stripe', 'browser'];

  test('name as many servers as fit, fewer of each toolbox before none', () => {
    const few = overviewOf(5, english, names['words'], real);
    for (const text of [instructions(few), descriptionOf(few), useDescriptionOf(few)]) {
      expect(text).toMatch(/office \(filesystem, git, github, postgres/);
    }
    const one = overviewOf(
      1,
      english,
      names['words'],
      Array.from({ length: 40 }, (_, at) => `server-${at}`),
    );
    expect(descriptionOf(one)).toContain('server-15, ');
    const many = overviewOf(30, english, names['words'], real);
    expect(descriptionOf(many).split('\n')[0]).toMatch(/office29 \(filesystem, (git, )?\+[89]\)/);
    expect(descriptionOf(overviewOf(120, english, names['words'], real))).not.toContain('filesystem');
  });

  test('show names of servers on one line and without hidden characters', () => {
    const hidden = ['post\u200Bgres', 'a\u202Eb', 'two\nlines', 'tag\u{E0041}', 'nul\u0000', 'π 数据'];
    const text = descriptionOf(overviewOf(1, 'Files\u202E', () => 'dev', hidden));
    expect(text.split('\n')[0]).toContain('dev (postgres, ab, two lines, tag, nul, π 数据)');
    expect(text).toContain('\ndev: Files');
    expect(text).not.toMatch(/[\u202E\u200B]/);
  });

  test('have no enum when the names are too long: an incomplete one would forbid the other names', () => {
    const overview = overviewOf(5, english, names['very long names']);
    expect(choicesOf(overview)).toBeUndefined();
    expect(descriptionOf(overview)).toContain('open_toolbox lists the rest');
  });
});

describe("a client's own tool search", () => {
  const overview: Overview = {
    configFile: '/home/ada/workbench-config.json',
    toolboxes: [
      { name: 'dev', description: 'Code and its issues', servers: ['github', 'filesystem'] },
      { name: 'data', description: 'Databases of the shop', servers: ['postgres', 'redis'] },
    ],
  };
  const tools = metaTools(overview);
  const words = (text: string) => new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u));

  /** What each client searches for words in. */
  const searched: Readonly<Record<string, (tool: Tool) => string>> = {
    'Claude Code': ({ name, description = '', _meta }) =>
      `${name} ${description.slice(0, 2_048)} ${String(_meta?.['anthropic/searchHint'])}`,
    Codex: ({ name, title = '', description = '', inputSchema }) =>
      [name, title, description, ...Object.keys(inputSchema['properties'] ?? {})].join(' '),
    // What its model sees before it searches.
    'Qwen Code': ({ name, description = '' }) => `${name} ${description.split('\n')[0]?.slice(0, 157)}`,
  };

  test.each(Object.entries(searched))('of %s finds both tools by the name of a toolbox or server', (_, textOf) => {
    for (const word of ['dev', 'data', 'github', 'filesystem', 'postgres', 'redis', 'toolbox']) {
      for (const tool of tools) expect(words(textOf(tool)), `${word} in ${tool.name}`).toContain(word);
    }
  });
});

test('the two descriptions alone show how to make the first calls: some clients drop the instructions', () => {
  const overview = overviewOf(2, 'Files and memory');
  expect(descriptionOf(overview)).toBe(`\
Opens a toolbox of MCP servers: toolbox-0 (one, two), toolbox-1 (one, two)
Starts its servers and lists their tools, to call with use_tool; "query" finds some. "*" is all toolboxes, to search.
toolbox-0: Files and memory
toolbox-1: Files and memory`);
  expect(useDescriptionOf(overview)).toBe(`\
Calls a tool of a toolbox: toolbox-0 (one, two), toolbox-1 (one, two)
As open_toolbox lists it, with arguments that fit its schema: {"tool":{"toolbox":"toolbox-0","server":"one","name":"a_tool_it_lists"},"arguments":{}}`);
});

describe('the two meta-tools', () => {
  test('have the same names whatever is configured', () => {
    for (const count of [0, 2]) {
      expect(metaTools(overviewOf(count, 'd')).map(({ name }) => name)).toEqual(['open_toolbox', 'use_tool']);
    }
    expect(choicesOf(overviewOf(0, ''))).toBeUndefined();
    expect(descriptionOf(overviewOf(0, ''))).toContain('No toolbox is configured');
  });

  test('ask to be kept loaded', () => {
    for (const { _meta } of metaTools(overviewOf(1, 'd')))
      expect(_meta).toMatchObject({ 'anthropic/alwaysLoad': true });
  });

  test('offer to search, to name tools and to choose the detail', () => {
    const [open, use] = metaTools(overviewOf(1, 'd'));
    expect(Object.keys(open?.inputSchema['properties'] ?? {})).toEqual(['toolbox', 'query', 'tools', 'detail']);
    expect(open?.inputSchema['required']).toEqual(['toolbox']);
    expect(use?.inputSchema['properties']).toMatchObject({ tool: { required: ['toolbox', 'server', 'name'] } });
  });
});

describe('the instructions of a configuration with a fault', () => {
  const fault = `/${'f'.repeat(299)}:1:1 ${'x'.repeat(470)}`;

  test('have it beside the toolboxes of an earlier text, within 2,000 characters', () => {
    const overview = { ...overviewOf(3, 'd'.repeat(500)), configFile: `/${'f'.repeat(400)}`, notice: fault };
    const text = instructions(overview);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text).toContain(`${fault}\nToolboxes:\n`);
    for (const { name } of overview.toolboxes) expect(text).toContain(name);
  });

  test('have nothing else without one: no example, no toolbox, and not how to add one', () => {
    const overview = { configFile: '/home/me/workbench-config.json', toolboxes: [], fault };
    expect(instructions(overview)).toBe(`${fault}\nConfiguration: /home/me/workbench-config.json`);
    expect(descriptionOf(overview)).toContain('The configuration file has a fault; a call says which.');
  });
});
