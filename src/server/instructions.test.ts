import { describe, expect, test } from 'vitest';
import type { Overview } from '../workbench/toolbox.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

function overviewOf(count: number, descriptionLength: number): Overview {
  const toolboxes = Array.from({ length: count }, (_, i) => ({
    name: `toolbox-${i}`,
    description: 'd'.repeat(descriptionLength),
    servers: ['one', 'two'],
  }));
  return { configFile: '/home/me/workbench-config.json', toolboxes };
}

describe('the instructions', () => {
  test('say how to work first, then what there is', () => {
    const text = instructions(overviewOf(2, 20));
    expect(text.indexOf('open_toolbox')).toBeLessThan(text.indexOf('toolbox-0 (2 servers)'));
    expect(text).toContain(
      'use_tool({"tool":{"toolbox":"toolbox-0","server":"one","name":"a_tool_it_lists"},"arguments":{}})',
    );
    expect(text).toContain('Configuration: /home/me/workbench-config.json');
    expect(text).toContain(`- toolbox-1 (2 servers): ${'d'.repeat(20)}`);
  });

  test.each([
    [1, 10_000],
    [5, 1_000],
    [30, 500],
    [80, 500],
    [400, 10],
  ])('fit with %i toolboxes of %i characters each, and so does the description of open_toolbox', (count, length) => {
    const overview = overviewOf(count, length);
    const description = metaTools(overview)[0]?.description ?? '';
    for (const text of [instructions(overview), description]) {
      expect(text.length).toBeLessThanOrEqual(2_000);
      expect(text).toContain('toolbox-0');
      if (count <= 80) expect(text).toContain(`toolbox-${count - 1}`);
      else expect(text).toContain('open_toolbox knows the others');
    }
  });

  test('say so when nothing is configured, and how to add a toolbox', () => {
    const text = instructions({ configFile: '/x.json', toolboxes: [] });
    expect(text).toContain('no toolbox configured');
    expect(text).toContain('"mcpServers"');
    expect(text).toContain('/x.json');
  });

  test('name the embedded default as such', () => {
    expect(instructions({ ...overviewOf(1, 5), configFile: undefined })).toContain('embedded default');
  });
});

test('the two meta-tools have the same names whatever is configured, and an enum of the toolboxes', () => {
  expect(metaTools(overviewOf(0, 0)).map(({ name }) => name)).toEqual(['open_toolbox', 'use_tool']);
  expect(metaTools(overviewOf(2, 5))[0]?.inputSchema['properties']).toMatchObject({
    toolbox: { enum: ['toolbox-0', 'toolbox-1'] },
  });
});
