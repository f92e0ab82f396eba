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

  test('puts a tool that it names first, however well others match', () => {
    const named = searchOver(
      source('dev', 'gitlab', [
        tool('create_issue_comment', 'Create issue, create issue: creates a comment on an issue.'),
        tool('issue_create_and_issue_create', 'Create an issue or create another issue.'),
        tool('create_issue', 'Opens a ticket.'),
      ]),
      source('ops', 'twilio', [
        tool('TwilioApiV2010--ListParticipant', 'A page of rows.'),
        tool('FetchParticipant', 'List participant: lists a participant of the participant list.'),
      ]),
      source('ops', 'maps', [tool('PoiSearchTool'), tool('search_tool', 'Search POI, search POI.')]),
      source('ops', 'mcp', [tool('mcp_server_tool')]),
    );
    for (const text of [
      'create_issue',
      'createIssue',
      'CreateIssue',
      'create issue',
      'Create-Issue',
      'call create_issue',
    ])
      expect(names(named, text)[0], text).toBe('dev/gitlab/create_issue');
    for (const text of ['ListParticipant', 'list_participant', 'TwilioApiV2010--ListParticipant'])
      expect(names(named, text)[0], text).toBe('ops/twilio/TwilioApiV2010--ListParticipant');
    for (const text of ['PoiSearchTool', 'poi search tool'])
      expect(names(named, text)[0]).toBe('ops/maps/PoiSearchTool');
    expect(names(named, 'mcp_server_tool')).toEqual(['ops/mcp/mcp_server_tool']);
    expect(names(named, 'create_issue', { toolbox: 'ops' })).not.toContain('dev/gitlab/create_issue');
  });

  test('prefers the server that it names to others with a tool of the same name', () => {
    const both = searchOver(
      source('a', 'gitlab', [tool('create_issue')]),
      source('a', 'github', [tool('createIssue')]),
    );
    expect(names(both, 'create issue')).toEqual(['a/gitlab/create_issue', 'a/github/createIssue']);
    expect(names(both, 'github create_issue')[0]).toBe('a/github/createIssue');
  });

  test('is read as names and as prose', () => {
    const both = searchOver(source('a', 's', [tool('list_all_participants'), tool('youtube'), tool('tube')]));
    expect(names(both, 'please run ListParticipants')).toEqual(['a/s/list_all_participants']);
    expect(names(both, 'a video on YouTube')[0]).toBe('a/s/youtube');
  });

  test('of several steps has the best tool of each step first, and each tool once', () => {
    const hits = names(search, 'look for repositories; read a file; what will the weather be?; read file');
    expect(hits.slice(0, 3)).toEqual([
      'dev/github/searchRepositories',
      'dev/filesystem/read_file',
      'home/skywatch/forecast',
    ]);
    expect(new Set(hits).size).toBe(hits.length);
    expect(names(search, ';;zebra; forecast;')).toEqual(names(search, 'forecast'));
    expect(names(search, 'look for repositories; read a file', { limit: 1 })).toHaveLength(1);
  });

  test('finds a tool by its description, its server and its parameters', () => {
    expect(names(search, 'overwrite')).toEqual(['dev/filesystem/write_file']);
    expect(names(search, 'skywatch')).toEqual(['home/skywatch/forecast']);
    expect(names(search, 'popularity')).toEqual(['dev/github/searchRepositories']);
    expect(names(search, 'city')).toEqual(['home/skywatch/forecast']);
  });

  test('finds a tool by what its server says about itself', () => {
    const described = searchOver({ ...files, instructions: 'Ask for permission.' }, { ...weather, description: 'Sky' });
    expect(names(described, 'permission')).toHaveLength(files.tools.length);
    expect(names(described, 'sky')).toEqual(['home/skywatch/forecast']);
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

  test.each([
    ['remember that I like tea', 'memory/create_entities'],
    ['grep for TODO', 'code/search_code'],
    ['lint my code', 'code/check_style'],
    ['undo the last commit', 'git/git_reset'],
    ['why is the page so slow', 'browser/performance_start_trace'],
  ])('finds the tool for everyday words: %s', (text, expected) => {
    const everyday = searchOver(
      source('a', 'chat', [tool('add_reaction', 'Adds an emoji to a message.'), tool('send', 'Performs sending.')]),
      source('a', 'memory', [tool('create_entities', 'Create entities in the knowledge graph.')]),
      source('a', 'code', [tool('search_code', 'Searches code.'), tool('check_style', 'Checks the style of code.')]),
      source('a', 'git', [tool('git_reset', 'Unstages all staged changes.'), tool('git_log', 'Shows commit logs.')]),
      source('a', 'browser', [
        tool('performance_start_trace', 'Starts a recording on the selected page.'),
        tool('take_snapshot', 'Takes a snapshot of the selected page.'),
      ]),
    );
    expect(names(everyday, text)[0]).toBe(`a/${expected}`);
    expect(names(everyday, 'React app')).toEqual([]);
    expect(names(everyday, 'react to a message')[0]).toBe('a/chat/add_reaction');
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
    expect(search.query('write a file to a directory')[0]?.tool).toBe(files.tools[1]);
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
