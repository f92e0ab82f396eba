import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { messyTool } from '../../../test/support/messy-schemas.js';
import { realTools } from '../../../test/support/real-tools.js';
import { maxQueryAnswerTokens } from '../../limits.js';
import { type HitOptions, rowsFor } from './hit-rows.js';
import { charsOf, type ListedTool, type ToolListing } from './listed-tool.js';

const hits: readonly ListedTool[] = realTools.filesystem.map((tool) => ({ toolbox: 'dev', server: 'fs', tool }));

function rows(found: readonly ListedTool[], budgetChars: number, options: Partial<HitOptions> = {}): ToolListing {
  const { overheadChars = 50 } = options;
  const listing = rowsFor(found, { budgetChars, ...options, overheadChars });
  expect(charsOf(listing)).toBeLessThanOrEqual(Math.max(0, budgetChars - overheadChars));
  return listing;
}

describe('the rows of a search', () => {
  test('have a signature for the first few and a description for the others', () => {
    const { columns, rows: shown = [], notes } = rows(hits, 10_000);
    expect(columns).toEqual(['server', 'name', 'description', 'signature']);
    expect(shown).toHaveLength(hits.length);
    expect(shown[0]).toEqual([
      'fs',
      'read_file',
      'Read the complete contents of a file as text.',
      '(path: string, tail?: number, head?: number)',
    ]);
    expect(shown.map(({ length }) => length)).toEqual([4, 4, 4, ...hits.slice(3).map(() => 3)]);
    expect(notes).toEqual([
      'The tools are in rows, not in tools; columns names the cells.',
      'Full schemas: open_toolbox({"toolbox":"dev","tools":["read_file"]}).',
    ]);
  });

  test('name the toolbox on request, and have as many signatures as requested', () => {
    const { columns, rows: shown = [] } = rows(hits.slice(0, 2), 10_000, { withToolbox: true, signatures: 1 });
    expect(columns?.[0]).toBe('toolbox');
    expect(shown.map(({ length }) => length)).toEqual([5, 4]);
    expect(shown[1]?.[0]).toBe('dev');
  });

  test('stop at the budget and say how many are left out', () => {
    const { rows: shown = [], notes } = rows(hits, 1_000);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.length).toBeLessThan(hits.length);
    expect(notes.at(-1)).toContain(`${hits.length - shown.length} more tools match`);
    expect(rows(hits, 150)).toEqual({ tools: [], notes: ['14 tools match, but none fits in this answer'] });
    expect(rows(hits, 60)).toEqual({ tools: [], notes: [] });
  });

  test('have no more tokens than an answer to a query may, whatever the budget and the language', () => {
    const descriptions = [
      'Reads the complete contents of a file from the file system, with detailed error messages',
      '可以直接通过搜索必应并获取网页内容的中文搜索工具',
      'Werkzeuge zum Verwalten der Entwicklungsumgebung für alle Benutzerkonten',
      'Инструменты для работы с файлами и базами данных проекта',
      'kubectl nginx grpc sqlx dbt k8s PHASE_ONE v1.2.3 f3a9b1c7e2d84506',
      '🚀🔧📦🎉 say "hi" \\ and "bye"',
    ];
    for (const description of descriptions) {
      const long = hits
        .flatMap((hit) => [hit, hit, hit])
        .map(({ tool, ...place }) => ({
          ...place,
          tool: { ...tool, description: `${description} `.repeat(9) },
        }));
      const listing = rows(long, 100_000, { withToolbox: true, overheadChars: 300 });
      const tokens = countTokens(JSON.stringify(listing)) + 300 / 3;
      expect(tokens, description).toBeLessThanOrEqual(maxQueryAnswerTokens);
      expect(tokens, description).toBeGreaterThan(maxQueryAnswerTokens / 2);
      expect(listing.notes.at(-1)).toContain('more tools match');
    }
  });

  test('stay some, however much else the answer says', () => {
    expect(rows(hits, 100_000, { overheadChars: 50_000 }).rows?.length).toBeGreaterThan(3);
  });

  test('are empty without hits', () => {
    expect(rows([], 1_000)).toEqual({ tools: [], notes: [] });
  });

  test('never exceed the budget and keep names and order, whatever the tools', () => {
    const hit = fc.record({
      toolbox: fc.constantFrom('a', 'b'.repeat(80)),
      server: fc.string({ maxLength: 20 }),
      tool: messyTool,
    });
    fc.assert(
      fc.property(
        fc.array(hit, { maxLength: 8 }),
        fc.nat({ max: 3_000 }),
        fc.boolean(),
        (found, budget, withToolbox) => {
          const listing = rows(found, budget, { withToolbox });
          const at = listing.columns?.indexOf('name') ?? 0;
          const names = found.map(({ tool }) => tool.name);
          expect(listing.rows?.map((row) => row[at]) ?? []).toEqual(names.slice(0, listing.rows?.length ?? 0));
        },
      ),
      { numRuns: 100 },
    );
  });
});
