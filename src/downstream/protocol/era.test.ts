import { describe, expect, test } from 'vitest';
import { type Attempt, conclude, type Finding, firstAttempt } from './era.js';

const configured = (approach: 'legacy' | 'modern'): Attempt => ({ approach, because: 'configured' });
const unknown: Attempt = { approach: 'probe', because: 'nothing known' };
const remembered: Attempt = { approach: 'legacy', because: 'remembered' };
const second = (approach: Attempt['approach']): Attempt => ({ approach, because: 'first attempt failed' });

describe('the first attempt', () => {
  test.each([
    ['auto', false, unknown],
    ['auto', true, remembered],
    ['legacy', false, configured('legacy')],
    ['legacy', true, configured('legacy')],
    ['2026-07-28', false, configured('modern')],
    ['2026-07-28', true, configured('modern')],
  ] as const)('with protocol %s, remembered as legacy: %s', (protocol, isRemembered, expected) => {
    expect(firstAttempt(protocol, isRemembered)).toEqual(expected);
  });
});

const legacy: Finding = { connectedAs: 'legacy', isModern: false, mayDependOnEra: false };
const lateModern: Finding = { ...legacy, isModern: true };
const modern: Finding = { connectedAs: 'modern', isModern: true, mayDependOnEra: false };
const exited: Finding = { connectedAs: undefined, isModern: false, mayDependOnEra: true };
const refusedAfterLateAnswer: Finding = { ...exited, isModern: true };
const timedOut: Finding = { ...exited, mayDependOnEra: false };
const timedOutAfterLateAnswer: Finding = { ...timedOut, isModern: true };

describe('what follows from an attempt', () => {
  test.each<[string, Attempt, Finding, ReturnType<typeof conclude>['memory'], Attempt | undefined]>([
    ['a probed server that is legacy', unknown, legacy, 'remember as legacy', undefined],
    ['a probed server that is modern', unknown, modern, 'keep', undefined],
    ['one that answered the probe late and initialize too', unknown, lateModern, 'keep', undefined],
    ['one that exits on the probe', unknown, exited, 'keep', second('legacy')],
    ['one that answered late and refused initialize', unknown, refusedAfterLateAnswer, 'keep', second('modern')],
    ['one that was not ready in time', unknown, timedOut, 'keep', undefined],
    ['one that was not ready in time but modern', unknown, timedOutAfterLateAnswer, 'keep', undefined],
    ['a remembered server that is still legacy', remembered, legacy, 'remember as legacy', undefined],
    ['a remembered server that exits', remembered, exited, 'forget', second('probe')],
    ['a remembered server that is silent', remembered, timedOut, 'forget', undefined],
    ['a second attempt that finds a legacy server', second('legacy'), legacy, 'remember as legacy', undefined],
    ['a second attempt that finds a modern server', second('modern'), modern, 'keep', undefined],
    ['a second probe that is answered late', second('probe'), lateModern, 'keep', undefined],
    ['a second attempt that fails', second('legacy'), exited, 'keep', undefined],
    ['a second probe that fails', second('probe'), exited, 'keep', undefined],
    ['a server configured as legacy', configured('legacy'), legacy, 'keep', undefined],
    ['a server configured as legacy that exits', configured('legacy'), exited, 'keep', undefined],
    ['a server configured as modern', configured('modern'), modern, 'keep', undefined],
    ['a server configured as modern that refuses', configured('modern'), exited, 'keep', undefined],
  ])('%s', (_, attempt, finding, memory, next) => {
    expect(conclude(attempt, finding)).toEqual({ memory, next });
  });
});
