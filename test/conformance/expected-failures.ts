import type { Revision } from './suite.js';

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
    reason: 'the server gets an error for its question and returns a result of its own',
  },
  {
    scenario: 'server-stateless',
    check: 'sep-2575-missing-capability-http-400',
    reason: 'it is the status of the error above',
  },
  {
    scenario: 'input-required-result-basic-elicitation',
    check: 'sep-2322-elicitation-incomplete',
    reason: 'questions had no names, so the name that the suite expects is unknown',
  },
  {
    scenario: 'input-required-result-multiple-input-requests',
    check: 'sep-2322-multiple-inputs-incomplete',
    reason: 'questions came one after the other, never three in one answer',
  },
  {
    scenario: 'input-required-result-ignore-extra-params',
    check: 'sep-2322-ignore-unexpected-params',
    reason: 'an answer could not come before its question',
  },
];

/** What the workbench as a client does not do, by revision. The list may only shrink as well. */
export const asClient: readonly (ExpectedFailure & { readonly revision: Revision })[] = [];

/**
 * What a server of two tools cannot show: scenarios that call a tool of the suite's fixture, or need prompts, completion, logging or
 * resources that nothing has linked to; and, of scenarios that it can, single checks. The flat adapter passes them.
 */
export const forTwoTools: ReadonlySet<string> = new Set([
  ...['logging-set-level', 'completion-complete', 'resources-subscribe', 'resources-unsubscribe'],
  ...['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  ...['prompts-list', 'prompts-get-simple', 'prompts-get-with-args'],
  ...['prompts-get-embedded-resource', 'prompts-get-with-image'],
  ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
  ...['tools-call-mixed-content', 'tools-call-with-logging', 'tools-call-error', 'tools-call-with-progress'],
  ...['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
  ...['input-required-result-basic-elicitation', 'input-required-result-basic-sampling'],
  ...['input-required-result-basic-list-roots', 'input-required-result-request-state'],
  ...['input-required-result-multiple-input-requests', 'input-required-result-multi-round'],
  ...['input-required-result-missing-input-response', 'input-required-result-non-tool-request'],
  ...['input-required-result-result-type', 'input-required-result-tampered-state'],
  ...['input-required-result-capability-check', 'input-required-result-ignore-extra-params'],
  'caching:sep-2549-prompts-list-caching-hints',
  'server-stateless:sep-2575-server-rejects-undeclared-capability',
  'server-stateless:sep-2575-missing-capability-http-400',
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
  'server-stateless:sep-2575-server-no-log-without-loglevel',
  'server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription',
]);
