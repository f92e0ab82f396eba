export interface ExpectedFailure {
  readonly scenario: string;
  readonly check: string;
  readonly reason: string;
}

/**
 * What a legacy server cannot provide to an agent of 2026-07-28, with any proxy. With a server of 2026-07-28 the agent gets
 * all of it. The list may only shrink: an entry that passes fails the test.
 */
export const beforeLegacyServer: readonly ExpectedFailure[] = [
  {
    scenario: 'server-stateless',
    check: 'sep-2575-server-rejects-undeclared-capability',
    reason: 'the server is told that nobody can be asked, and makes a result of its own of that',
  },
  {
    scenario: 'server-stateless',
    check: 'sep-2575-missing-capability-http-400',
    reason: 'it is the status of the error above',
  },
  {
    scenario: 'input-required-result-basic-elicitation',
    check: 'sep-2322-elicitation-incomplete',
    reason: 'questions had no names, so the one that the suite wants is not known',
  },
  {
    scenario: 'input-required-result-multiple-input-requests',
    check: 'sep-2322-multiple-inputs-incomplete',
    reason: 'questions came one after the other, never three in one answer',
  },
  {
    scenario: 'input-required-result-capability-check',
    check: 'sep-2322-respect-client-capabilities',
    reason: 'capabilities were told once, when the server was started, and the suite changes them by the request',
  },
  {
    scenario: 'input-required-result-ignore-extra-params',
    check: 'sep-2322-ignore-unexpected-params',
    reason: 'an answer could not come before its question',
  },
];
