import { expect, test } from 'vitest';
import { parseConfig } from '../config/read/load.js';
import { builtInSettings } from '../limits.js';
import { guide, minimalExample, topicNames } from './guide.js';

test('the example in the guide is a valid configuration without warnings', () => {
  const config = parseConfig(minimalExample, {
    path: '/tmp/workbench-config.json',
    env: {},
    cwd: '/project',
    home: '/tmp',
  });
  expect([...config.toolboxes.keys()]).toEqual(['dev']);
  expect(config.warnings).toEqual([]);
});

test('the whole guide contains every topic', () => {
  for (const topic of topicNames) expect(guide(undefined)).toContain(guide(topic));
});

test('the guide names every setting with its default', () => {
  for (const [name, value] of Object.entries(builtInSettings)) {
    expect(guide('limits')).toMatch(new RegExp(`${name} .*default ${value}`));
  }
});
