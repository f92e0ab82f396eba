import { expect, test } from 'vitest';
import { createProcessQuota } from './process-quota.js';

test('a principal with as many processes as it may have starts no more, and others still do', () => {
  const quota = createProcessQuota({ perPrincipal: 2, total: 10 });
  const leave = quota.take('anna');
  quota.take('anna');
  expect(() => quota.take('anna')).toThrow('2 servers of this user are running, the limit is 2');
  quota.take('bert');
  leave();
  leave();
  quota.take('anna');
  expect(() => quota.take('anna')).toThrow('2 servers');
});

test('a service with as many processes as it may have starts no more for anybody', () => {
  const quota = createProcessQuota({ perPrincipal: 2, total: 3 });
  quota.take('anna');
  quota.take('bert');
  const leave = quota.take('carl');
  expect(() => quota.take('anna')).toThrow('as many servers as it may (3, http.limits.processes)');
  leave();
  quota.take('anna');
});

test('without limits any number of processes is counted and none refused', () => {
  const quota = createProcessQuota(undefined);
  for (let count = 0; count < 1_000; count++) quota.take('anna');
});
