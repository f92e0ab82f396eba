import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realTools } from '../../../test/support/real-tools.js';
import { createAdmission } from './admit-tools.js';

async function admit(...listed: readonly unknown[]) {
  const admission = createAdmission();
  for (const tool of listed) await admission.add(tool);
  return admission.result();
}

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' as const }, ...more });
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('tools', () => {
  test('of real servers are used as they are, the same objects', async () => {
    for (const tools of Object.values(realTools)) {
      const admitted = await admit(...tools);
      expect(admitted.omissions).toEqual({});
      admitted.tools.forEach((one, index) => expect(one).toBe(tools[index]));
    }
    const file = new URL('../../../bench/discovery/data/tools.jsonl', import.meta.url);
    const tools = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect((await admit(...tools.map((one, index) => ({ ...one, name: `${one.name}_${index}` })))).omissions).toEqual(
      {},
    );
  });

  test('in any script and with emoji are used as they are', async () => {
    const tools = ['خواندن_نامه\u200Cها', 'क्\u200Dष_पढ़ें', 'อ่านไฟล์', '读取文件', '👨\u200D👩\u200D👧', 'קרא'].map(
      (name) => tool(name, { title: name, description: `${name}: می\u200Cخواهم` }),
    );
    const admitted = await admit(...tools);
    expect(admitted.omissions).toEqual({});
    admitted.tools.forEach((one, index) => expect(one).toBe(tools[index]));
  });

  test.each([
    ['without a name', { inputSchema: {} }, 'malformed'],
    ['without a schema', { name: 'a' }, 'malformed'],
    ['that are numbers', 7, 'malformed'],
    ['that are not JSON', Buffer.from('{"name":'), 'malformed'],
    ['of 64 KB', tool('a', { description: 'x'.repeat(65_536) }), 'large'],
    ['of 64 KB as bytes', Buffer.alloc(65_537, '['), 'large'],
    ['of 65 levels', tool('a', { x: nested(64) }), 'large'],
    ['of 10,001 values', tool('a', { x: Array.from({ length: 10_000 }, () => 0) }), 'large'],
    ['with hidden characters in the name', tool('a\u200Bb'), 'name'],
    ['with a line break in the name', tool('a\nb'), 'name'],
    ['with a name of 129 characters', tool('x'.repeat(129)), 'name'],
    ['with hidden characters in a key', tool('a', { inputSchema: { properties: { 'a\u202Eb': {} } } }), 'name'],
    [
      'with hidden characters in a value',
      tool('a', { inputSchema: { properties: { a: { default: 'a\u202Eb' } } } }),
      'name',
    ],
    [
      'with many values that are hidden characters',
      tool('a', { inputSchema: { enum: Array.from('\u200B\u200C'.repeat(6)) } }),
      'name',
    ],
  ])('%s are left out and counted', async (_, listed, why) => {
    expect(await admit(tool('ok'), listed)).toEqual({ tools: [tool('ok')], omissions: { [why]: 1 } });
  });

  test('just within the limits are used', async () => {
    const listed = [
      tool('x'.repeat(128)),
      tool('deep', { x: nested(62) }),
      tool('wide', { x: Array.from({ length: 9_990 }, () => 0) }),
    ];
    expect((await admit(...listed)).omissions).toEqual({});
  });

  test('named like an earlier one, to a reader, are left out', async () => {
    const { tools, omissions } = await admit(tool('read'), tool('read'), tool('ｒｅａｄ'), tool('Read'));
    expect(tools.map(({ name }) => name)).toEqual(['read', 'Read']);
    expect(omissions).toEqual({ duplicate: 2 });
  });

  test('lose hidden characters in all texts, but no value is changed', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"title":"a\\u200Bb","enum":[",","\\u200B",1]}}}',
    );
    const { tools, omissions } = await admit({ ...tool('a', { description: 'b\u{E0041}' }), inputSchema: schema });
    expect(JSON.stringify(tools)).toBe(
      '[{"name":"a","inputSchema":{"type":"object","properties":{"__proto__":{"title":"ab","enum":[",","\u200B",1]}}},"description":"b"}]',
    );
    expect(omissions).toEqual({ cleaned: 1 });
  });

  test('after the first 2,000 entries are left out, usable or not', async () => {
    const { tools, omissions } = await admit(7, ...Array.from({ length: 2_100 }, (_, index) => tool(`t${index}`)));
    expect(tools).toHaveLength(1_999);
    expect(omissions).toEqual({ malformed: 1, excess: 101 });
  });
});
