import { mergeConfig } from 'vitest/config';
import clients from './vitest.config.js';

/** Calls of four and ten minutes in every client. */
export default mergeConfig(clients, {
  test: { include: ['test/clients/long-calls.test.ts'], env: { LONG_CALLS: 'soak' }, testTimeout: 900_000 },
});
