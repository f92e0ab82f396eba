import { describe, expect, test } from 'vitest';
import { WorkbenchError } from '../../contract/errors.js';
import { parseFile } from '../read/parse.js';
import { quickFile } from '../read/quick.js';

const fileWith = (http: unknown) =>
  JSON.stringify({ http, toolboxes: { dev: { mcpServers: { any: { command: 'x' } } } } }, undefined, 2);

/** The lines of the message, without the heading. */
function faultsOf(http: unknown): string[] {
  try {
    expect(parseFile(fileWith(http), 'c.json').warnings).toEqual([]);
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    return error.message.split('\n').slice(1);
  }
  return [];
}

const whole = {
  listen: '0.0.0.0:4760',
  url: 'https://mcp.example.com/mcp',
  auth: {
    issuer: 'https://login.example.com',
    audience: 'https://mcp.example.com/mcp',
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    scopes: ['workbench'],
    require: { groups: ['dev', 'ops'], 'https://example.com/roles': ['admin'] },
    claims: ['email', 'https://example.com/team'],
    login: { clientId: 'workbench', clientSecret: '${OIDC_SECRET}' },
  },
  origins: ['https://app.example.com'],
  limits: { requestsPerSecond: 50, inFlight: 256, processesPerUser: 20, processes: 500 },
};

describe('the block http', () => {
  test('is read by the quick reader as by the schema', () => {
    const quick = quickFile(fileWith(whole));
    expect(quick).toEqual(parseFile(fileWith(whole), 'c.json').file);
    expect(quick?.http?.auth?.require).toEqual(new Map(Object.entries(whole.auth.require)));
  });

  test('may be empty', () => expect(faultsOf({})).toEqual([]));

  test.each<[string, object, string]>([
    ['at the top', { origin: [] }, "c.json:3:5 config.http.origin: Unknown key. Did you mean 'origins'?"],
    [
      'in auth',
      { auth: { issuer: 'https://a.test', requires: { groups: ['dev'] } } },
      "c.json:5:7 config.http.auth.requires: Unknown key. Did you mean 'require'?",
    ],
    [
      'in auth.login',
      { auth: { issuer: 'https://a.test', login: { clientId: 'a', id: 'b' } } },
      'c.json:7:9 config.http.auth.login.id: Unknown key. Remove it; the keys here are clientId, clientSecret.',
    ],
    [
      'in limits',
      { limits: { inflight: 1 } },
      "c.json:4:7 config.http.limits.inflight: Unknown key. Did you mean 'inFlight'?",
    ],
  ])('has no unknown key %s: it is a fault, because it decides who may call', (_, http, fault) => {
    expect(faultsOf(http)).toEqual([fault]);
    expect(quickFile(fileWith(http))).toBeUndefined();
  });

  test.each(['HS256', 'HS384', 'HS512', 'none', 'None', '${ALGORITHM}'])(
    'cannot accept tokens that are signed with %s',
    (algorithm) => {
      const [fault, ...others] = faultsOf({ auth: { issuer: 'https://a.test', algorithms: ['RS256', algorithm] } });
      expect(fault).toMatch(
        /^c\.json:7:9 config\.http\.auth\.algorithms\[1\]: Not an allowed value\. Write one of "RS256"/,
      );
      expect(others).toEqual([]);
    },
  );

  test.each<[string, object, string]>([
    ['a number as listen', { listen: 4760 }, 'config.http.listen: Expected a string, found a number'],
    ['no issuer', { auth: {} }, 'config.http.auth.issuer: issuer is missing. Add "issuer".'],
    [
      'a login without id',
      { auth: { issuer: 'i', login: {} } },
      'config.http.auth.login.clientId: clientId is missing.',
    ],
    ['a word in require', { auth: { issuer: 'i', require: { groups: 'dev' } } }, '.require.groups: Expected an array'],
    [
      'nothing that would do',
      { auth: { issuer: 'i', require: { groups: [] } } },
      '.require.groups: The list is empty.',
    ],
    ['no algorithm', { auth: { issuer: 'i', algorithms: [] } }, '.algorithms: The list is empty. Write a value, or'],
    ['a claim without name', { auth: { issuer: 'i', claims: [''] } }, '.claims[0]: Not the name of a claim.'],
    ['a reference as claim', { auth: { issuer: 'i', claims: ['${A}'] } }, '.claims[0]: Not the name of a claim.'],
    [
      'a reference as name',
      { auth: { issuer: 'i', require: { '${A}': ['x'] } } },
      '.require["${A}"]: Not the name of a',
    ],
    [
      'a limit of 0',
      { limits: { inFlight: 0 } },
      'config.http.limits.inFlight: The number is too small. Write at least 1.',
    ],
    ['a malformed reference', { url: 'https://${9}/' }, "config.http.url: The reference to variable '9' is malformed."],
  ])('is at fault for every session with %s', (_, http, fault) => {
    const faults = faultsOf(http);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });
});
