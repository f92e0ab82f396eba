import { expect, test } from 'vitest';
import type { CallToolResult } from '../../contract/types.js';
import { ValueResult } from '../../results/tool-result.js';
import { createResourceRoutes } from './resource-routes.js';

const here = { toolbox: 'dev', server: 'here', name: 'a tool' };
const there = { toolbox: 'dev', server: 'there', name: 'another tool' };
const result = (content: unknown) => new ValueResult({ content } as CallToolResult);
const link = (uri: unknown) => ({ type: 'resource_link', uri });

test('linked and embedded resources are found by their exact URIs', () => {
  const routes = createResourceRoutes();
  routes.learn(result([link('a://1'), { type: 'resource', resource: { uri: 'b://2', text: '' } }]), here);
  expect(routes.find('a://1')).toEqual(here);
  expect(routes.find('b://2')).toEqual(here);
  for (const uri of ['a://1/', 'A://1', '', '__proto__']) expect(routes.find(uri)).toBeUndefined();
});

test('a URI belongs to the server that returned it first', () => {
  const routes = createResourceRoutes();
  routes.learn(result([link('a://1')]), here);
  routes.learn(result([link('a://1')]), there);
  expect(routes.find('a://1')).toEqual(here);
});

test('results of any shape are accepted', () => {
  const routes = createResourceRoutes();
  const shapes: unknown[] = [
    undefined,
    null,
    'text',
    7,
    {},
    [null, 7, 'x', [], {}, { type: 'resource' }, link(7), link(undefined)],
  ];
  for (const content of shapes) routes.learn(result(content), here);
  routes.learn(result([link('__proto__')]), here);
  expect(routes.find('__proto__')).toEqual(here);
});

test('the last 1,000 URIs of a server are kept; other servers do not count', () => {
  const routes = createResourceRoutes();
  const uris = Array.from({ length: 1_000 }, (_, index) => `a://${index}`);
  routes.learn(result(uris.map(link)), here);
  routes.learn(result(uris.map((uri) => link(`there-${uri}`))), there);
  // Reading counts as use.
  expect(routes.find('a://0')).toBeDefined();
  routes.learn(result([link('a://new')]), here);
  expect(uris.filter((uri) => routes.find(uri) === undefined)).toEqual(['a://1']);
  expect(routes.find('there-a://0')).toEqual(there);
});

test('a URI over 2,000 characters is not kept', () => {
  const routes = createResourceRoutes();
  const [longest, longer] = ['x'.repeat(2_000), 'x'.repeat(2_001)];
  routes.learn(result([link(longest), link(longer)]), here);
  expect(routes.find(longest)).toBeDefined();
  expect(routes.find(longer)).toBeUndefined();
});
