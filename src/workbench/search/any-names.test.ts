import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../contract/types.js';
import { parameterText } from './parameters.js';
import { stepsOf } from './steps.js';
import { createToolSearch } from './tool-search.js';
import { lettersOf } from './words.js';

const awkward = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'a__b',
  'get.it/now',
  '🦓',
  '名前',
  '',
  ' ',
  '*',
);
const anyName = fc.oneof(awkward, fc.string({ unit: 'grapheme', maxLength: 12 }));
const anyText = fc.oneof(awkward, fc.string({ unit: 'binary', maxLength: 60 }), fc.lorem({ maxCount: 8 }));
const anyTool = fc
  .record({ name: anyName, description: anyText, schema: fc.jsonValue({ maxDepth: 4 }) })
  .map(({ name, description, schema }): Tool => {
    const keywords = typeof schema === 'object' && !Array.isArray(schema) ? schema : { properties: schema };
    return { name, description, inputSchema: { ...keywords, type: 'object' } };
  });
const anySources = fc.array(
  fc.record({ toolbox: anyName, server: anyName, description: anyText, tools: fc.array(anyTool, { maxLength: 5 }) }),
  { maxLength: 5 },
);

describe('with any names, texts and schemas', () => {
  test('a query returns known tools, each once, within the limit, and is deterministic', () => {
    fc.assert(
      fc.property(anySources, anyText, fc.nat(8), (sources, text, limit) => {
        const search = createToolSearch();
        search.update(sources);
        const hits = search.query(text, { limit });
        expect(hits.length).toBeLessThanOrEqual(limit);
        expect(new Set(hits).size).toBe(hits.length);
        hits.forEach((hit) => {
          const places = sources.filter(({ toolbox, server }) => toolbox === hit.toolbox && server === hit.server);
          expect(places.some(({ tools }) => tools.includes(hit.tool))).toBe(true);
        });
        expect(search.query(text, { limit })).toEqual(hits);
      }),
    );
  });

  test('a shorter list is the start of a longer one, and limiting to a toolbox keeps the order', () => {
    fc.assert(
      fc.property(anySources, anyText, fc.nat(6), (sources, text, limit) => {
        const search = createToolSearch();
        search.update(sources);
        const all = search.query(text, { limit: 1000 });
        expect(search.query(text, { limit })).toEqual(all.slice(0, limit));
        const toolbox = sources[0]?.toolbox ?? '';
        const step = text.replaceAll(/[;；]/g, ' ');
        const those = search.query(step, { limit: 1000 }).filter((hit) => hit.toolbox === toolbox);
        expect(search.query(step, { toolbox, limit: 1000 })).toEqual(those);
      }),
    );
  });

  test('every tool is found by its name, whatever else there is', () => {
    fc.assert(
      fc.property(anySources, (sources) => {
        const search = createToolSearch();
        search.update(sources);
        const [name = ''] = sources.flatMap(({ tools }) => tools.map((tool) => tool.name));
        if (stepsOf(name).length !== 1) return;
        expect(lettersOf(search.query(name)[0]?.tool.name ?? 'none')).toBe(lettersOf(name));
      }),
    );
  });

  test('an index that is prepared in slices is the same as one that is built at once', async () => {
    await fc.assert(
      fc.asyncProperty(anySources, anySources, anyText, async (first, second, text) => {
        const prepared = createToolSearch();
        prepared.update(first);
        const preparations = [prepared.prepare(), prepared.prepare()];
        prepared.update(second);
        await Promise.all([...preparations, prepared.prepare()]);
        const atOnce = createToolSearch();
        atOnce.update(second);
        expect(prepared.query(text)).toEqual(atOnce.query(text));
      }),
    );
  });

  test('changing servers one by one gives the same index as building it at once', () => {
    fc.assert(
      fc.property(fc.array(anySources, { minLength: 1, maxLength: 4 }), anyText, (steps, text) => {
        const changed = createToolSearch();
        for (const sources of steps) {
          changed.update(sources);
          changed.query(text);
        }
        const fresh = createToolSearch();
        fresh.update(steps.at(-1) ?? []);
        const tools = (search: typeof fresh) => search.query(text, { limit: 100 }).map((hit) => hit.tool);
        expect(new Set(tools(changed))).toEqual(new Set(tools(fresh)));
      }),
    );
  });
});

describe('the text of a schema', () => {
  test('has a limited length, whatever the schema', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (schema) => {
        const { names, descriptions } = parameterText(schema);
        expect(names.length + descriptions.length).toBeLessThanOrEqual(12_000);
      }),
    );
  });

  test('holds names and descriptions at every depth, of definitions too', () => {
    const text = parameterText({
      description: 'of the tool',
      properties: {
        outer: { description: 'one', items: { properties: { inner: { description: 'two', enum: ['three', 4] } } } },
        choice: { anyOf: [{ title: 'five' }, { $ref: '#/$defs/Node' }] },
        ['__proto__']: { description: 'six' },
      },
      $defs: { Node: { properties: { next: { $ref: '#/$defs/Node', description: 'seven' } } } },
    });
    expect(text.names.split(' ')).toEqual(expect.arrayContaining(['outer', 'inner', 'choice', '__proto__', 'next']));
    for (const word of ['one', 'two', 'three', 'five', 'six', 'seven']) expect(text.descriptions).toContain(word);
    expect(text.descriptions).not.toContain('of the tool');
  });

  test('terminates for a schema that contains itself, and for a very wide or long one', () => {
    const circle: Record<string, unknown> = { description: 'round' };
    circle.properties = { again: circle };
    expect(parameterText(circle).names).toContain('again');
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`name${at}`, { description: 'x' }]));
    expect(parameterText({ properties: wide }).names.length).toBeLessThanOrEqual(6000);
    const long = parameterText({ properties: { a: { description: 'word '.repeat(50_000) } } });
    expect(long.descriptions.length).toBeLessThanOrEqual(6000);
  });
});
