import { describe, expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { linuxOnly, rootOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, shareSessions, textOf } from '../support/shared.js';
import { withMounts } from '../system/namespaces.js';

linuxOnly('namespaces');
rootOnly('namespaces');

const config = devToolbox({ any: fixture() });

describe('a session in another namespace has another host', () => {
  test.each([
    ['network', ['unshare', '--net']],
    ['mounts', withMounts('')],
  ])('%s', async (_, through) => {
    const shared = shareSessions(config);
    const [outside, inside] = [await shared.start(), await shared.start({ through })];
    expect(textOf(await call(outside, 'echo', { text: 'outside' }))).toContain('outside');
    expect(textOf(await call(inside, 'echo', { text: 'inside' }))).toContain('inside');
    expect(shared.hosts()).toHaveLength(2);
    expect(shared.servers()).toHaveLength(2);
    expect(inside.stderr()).not.toContain('warning');
  });
});
