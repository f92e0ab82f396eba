import { describe, expect, test } from 'vitest';
import type { Tool } from '../../contract/types.js';
import { createToolSearch, type SearchSource, type ToolSearch } from './tool-search.js';

function tool(name: string, description = '', properties: Record<string, unknown> = {}): Tool {
  return { name, description, inputSchema: { type: 'object', properties } };
}

function source(toolbox: string, server: string, tools: readonly Tool[], description = ''): SearchSource {
  return { toolbox, server, description, tools };
}

function searchOver(...sources: readonly SearchSource[]): ToolSearch {
  const search = createToolSearch();
  search.update(sources);
  return search;
}

function names(search: ToolSearch, text: string, options?: Parameters<ToolSearch['query']>[1]): string[] {
  return search.query(text, options).map((hit) => `${hit.toolbox}/${hit.server}/${hit.tool.name}`);
}

const files = source(
  'dev',
  'filesystem',
  [
    tool('read_file', 'Read the complete contents of a file.', { path: { type: 'string' } }),
    tool('write_file', 'Create a new file or overwrite an existing one.', { path: { type: 'string' } }),
    tool('list_directory', 'List what a directory holds.'),
  ],
  'Secure access to files',
);
const forge = source('dev', 'github', [
  tool('createIssue', 'Open a new issue in a repository.'),
  tool('searchRepositories', 'Look for repositories.', { stars: { type: 'integer', description: 'Popularity' } }),
]);
const weather = source('home', 'skywatch', [
  tool('forecast', 'What the weather will be.', { city: { type: 'string' } }),
]);

describe('a query', () => {
  const search = searchOver(files, forge, weather);

  test('finds a tool by its name, whatever its spelling', () => {
    expect(names(search, 'create issue')[0]).toBe('dev/github/createIssue');
    expect(names(search, 'createIssue')[0]).toBe('dev/github/createIssue');
    expect(names(search, 'CREATE_ISSUE')[0]).toBe('dev/github/createIssue');
    expect(names(search, 'issues, creating them')[0]).toBe('dev/github/createIssue');
  });

  test('finds a tool by its description, its server and its parameters', () => {
    expect(names(search, 'overwrite')).toEqual(['dev/filesystem/write_file']);
    expect(names(search, 'skywatch')).toEqual(['home/skywatch/forecast']);
    expect(names(search, 'popularity')).toEqual(['dev/github/searchRepositories']);
    expect(names(search, 'city')).toEqual(['home/skywatch/forecast']);
  });

  test('finds a tool by what its toolbox is for', () => {
    const boxes = searchOver(
      { ...weather, toolboxDescription: 'Holidays' },
      source('Travel', 'x', [tool('book')]),
      files,
    );
    expect(names(boxes, 'holiday')).toEqual(['home/skywatch/forecast']);
    expect(names(boxes, 'travel')).toEqual(['Travel/x/book']);
  });

  test('finds synonyms', () => {
    expect(names(search, 'folder')).toContain('dev/filesystem/list_directory');
    expect(names(search, 'save a document')[0]).toBe('dev/filesystem/write_file');
    expect(names(search, 'file system')).toContain('dev/filesystem/list_directory');
  });

  test('prefers the word in the query to its synonyms', () => {
    const both = searchOver(source('a', 's', [tool('remove_row'), tool('delete_row')]));
    expect(names(both, 'delete')[0]).toBe('a/s/delete_row');
    expect(names(both, 'remove')[0]).toBe('a/s/remove_row');
  });

  test('uses the file type of a path and the host of a URL', () => {
    const kinds = searchOver(
      source('a', 's', [
        tool('to_pdf'),
        tool('to_csv'),
        tool('home_alarm'),
        tool('youtube_subtitles'),
        tool('watch_folder'),
      ]),
    );
    expect(names(kinds, 'change /home/watch/numbers.csv?')).toEqual(['a/s/to_csv']);
    expect(names(kinds, 'see https://www.youtube.com/watch?v=home')).toEqual(['a/s/youtube_subtitles']);
  });

  test('returns nothing when it contains no known word', () => {
    for (const text of ['', '   ', 'the of and', '?!', 'zebra', '🦓', '7']) expect(search.query(text)).toEqual([]);
    expect(createToolSearch().query('file')).toEqual([]);
    expect(searchOver(source('a', 's', [])).query('file')).toEqual([]);
  });

  test('can be limited to a toolbox and to a number of hits', () => {
    expect(names(search, 'forecast file issue', { toolbox: 'home' })).toEqual(['home/skywatch/forecast']);
    expect(names(search, 'forecast file issue', { toolbox: 'none' })).toEqual([]);
    expect(names(search, 'file', { limit: 1 })).toHaveLength(1);
    expect(names(search, 'file', { limit: 0 })).toEqual([]);
  });

  test('returns the best hit first, with the tool object itself', () => {
    const hits = search.query('write a file to a directory');
    expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).toSorted((one, two) => two - one));
    expect(hits[0]?.tool).toBe(files.tools[1]);
  });
});

describe('languages', () => {
  test('without spaces are found by any part of a sentence', () => {
    const search = searchOver(
      source('a', 'jukebox', [tool('find', '曲やアルバムを検索します'), tool('play', '曲を再生します')]),
      source('a', 'trains', [tool('tickets', '查询火车票余票'), tool('stations', '获取车站列表')]),
      source('a', 'thai', [tool('food', 'ค้นหาร้านอาหาร')]),
    );
    expect(names(search, '検索して')[0]).toBe('a/jukebox/find');
    expect(names(search, '我要买火车票')[0]).toBe('a/trains/tickets');
    expect(names(search, 'ร้านอาหาร')[0]).toBe('a/thai/food');
  });

  test('with accents and other alphabets are found with and without them', () => {
    const search = searchOver(source('a', 's', [tool('cafés', 'Où trouver un café'), tool('поиск', 'Поиск файлов')]));
    expect(names(search, 'cafe')).toEqual(['a/s/cafés']);
    expect(names(search, 'ПОИСК')).toEqual(['a/s/поиск']);
  });
});

describe('the order of equal hits', () => {
  const twin = (toolbox: string, server: string) => source(toolbox, server, [tool('ping', 'Pings.')], 'Network');

  test('is the configuration order', () => {
    const search = searchOver(twin('b', 'x'), twin('a', 'x'), twin('c', 'x'));
    expect(names(search, 'ping')).toEqual(['b/x/ping', 'a/x/ping', 'c/x/ping']);
    expect(names(search, 'ping', { limit: 2 })).toEqual(['b/x/ping', 'a/x/ping']);
  });

  test('does not depend on earlier updates', () => {
    const search = searchOver(twin('c', 'x'));
    search.query('ping');
    search.update([twin('a', 'x'), twin('c', 'x')]);
    expect(names(search, 'ping')).toEqual(['a/x/ping', 'c/x/ping']);
    search.update([twin('c', 'x'), twin('a', 'x')]);
    expect(names(search, 'ping')).toEqual(['c/x/ping', 'a/x/ping']);
  });
});

describe('an update', () => {
  /** A tool that counts how often its description is read. */
  function watched(name: string): { tool: Tool; reads: () => number } {
    let count = 0;
    const counted = Object.defineProperty(tool(name), 'description', {
      get: () => {
        count++;
        return 'Watched.';
      },
    });
    return { tool: counted, reads: () => count };
  }

  test('reads nothing before the first query, and each server once', () => {
    const one = watched('one');
    const other = watched('other');
    const first = source('a', 's', [one.tool]);
    const search = createToolSearch();
    search.update([first]);
    expect(one.reads()).toBe(0);
    search.query('watched');
    const reads = one.reads();
    search.update([first, source('a', 't', [other.tool])]);
    expect(names(search, 'watched')).toEqual(['a/s/one', 'a/t/other']);
    search.update([{ ...first }, source('b', 't', [other.tool])]);
    search.query('watched');
    expect(one.reads()).toBe(reads);
  });

  test('drops removed servers and replaced tools', () => {
    const search = searchOver(files, weather);
    expect(names(search, 'forecast')).toHaveLength(1);
    search.update([files]);
    expect(names(search, 'forecast')).toEqual([]);
    search.update([{ ...files, tools: [tool('forecast_disk_use')] }]);
    expect(names(search, 'forecast read')).toEqual(['dev/filesystem/forecast_disk_use']);
  });
});
