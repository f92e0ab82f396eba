import path from 'node:path';
import { commitAll } from '../../../clients/journal/commit.js';
import { installScript, lastingScript, removeOldCopies } from '../../../clients/own-files.js';
import type { ConfigText } from '../../../clients/served-servers.js';
import type { Client } from '../../../clients/table/client.js';
import { readSecretsFile } from '../../../setup/edit/secrets-file.js';
import { type ConfigurationPlan, commitsOf, planConfiguration } from '../../../setup/edit/write-configuration.js';
import type { FoundServers } from '../../../setup/find-servers.js';
import { planSetup, type SetupPlan } from '../../../setup/setup-plan.js';
import { askToWrite } from '../../frame/screen/ask-to-write.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { canAsk } from '../../frame/screen/prompt.js';
import { ownFiles } from '../clients/own-launch.js';
import type { Request } from '../clients/request.js';
import { type ClientPlan, planClients, type Refusal } from './client-plans.js';
import { planFacts } from './plan-screen.js';
import { type SetupTarget, setupTarget } from './setup-target.js';

/** How a command brings servers together. */
export interface Setup {
  /** As the journal names it. */
  readonly command: string;
  readonly find: () => FoundServers;
  readonly toolbox?: string | undefined;
  /** Shows the plan. Returns an exit code if there is nothing to do. */
  readonly show: (plan: SetupPlan, target: SetupTarget) => ExitCode | undefined;
  /** The clients to connect; asked for if need be. `config`: as it will be. */
  readonly clients: (plan: SetupPlan, config: ConfigText) => Promise<readonly Client[]>;
  readonly finish: (done: Done) => void;
}

/** What was written. */
export interface Done {
  readonly plan: SetupPlan;
  readonly target: SetupTarget;
  readonly hasSecrets: boolean;
  readonly clients: readonly ClientPlan[];
  readonly refused: readonly Refusal[];
}

/** Shows what would be done, asks, and does it, with one record in the journal. */
export async function runSetup(setup: Setup, call: Request): Promise<ExitCode> {
  const { flag, value, computer, output } = call;
  for (;;) {
    const target = await setupTarget(value('config'), computer, output);
    const kept = readSecretsFile(target.path).document.entriesAt([]);
    const secretOf = new Map(kept.map(({ name, value: text }) => [name, String(text)]));
    const plan = planSetup(setup.find(), {
      config: target.config,
      toolbox: setup.toolbox,
      secretOf: (name) => secretOf.get(name),
      computer,
    });
    const exit = setup.show(plan, target);
    if (exit !== undefined) return exit;
    const facts = { command: setup.command, ...planFacts(plan, target.path) };
    if (flag('dry-run')) {
      output.document({ ...facts, written: false });
      return exitCodes.ok;
    }
    if (!flag('yes') && (output.width === undefined || !canAsk()))
      return output.fail(usageFailure('Run it in a terminal, or with --yes.'));
    const answer = await answerFor(plan, target, call);
    if (answer === 'no') {
      output.print('Nothing was changed.');
      return exitCodes.failed;
    }
    const done = await write(setup, plan, { target, configuration: answer }, call);
    if (done !== undefined) {
      setup.finish(done);
      return exitCodes.ok;
    }
    output.say('A file changed while you looked at the preview. Here it is again:');
  }
}

/** What becomes of the configuration, or that nothing is written. */
async function answerFor(
  plan: SetupPlan,
  { path: file }: SetupTarget,
  call: Request,
): Promise<ConfigurationPlan | 'none' | 'no'> {
  const { flag, output, computer } = call;
  const planned = (keepsSecrets: boolean) =>
    planConfiguration(
      { path: file, edits: plan.edits(keepsSecrets), secrets: keepsSecrets ? [] : plan.secrets },
      computer,
    );
  if (plan.toolboxes.length === 0) return 'none';
  if (flag('yes')) return planned(false);
  for (;;) {
    const answer = await askToWrite(plan.secrets.length > 0, output);
    if (answer === 'no') return 'no';
    if (answer !== 'show') return planned(answer === 'write with secrets');
    output.print(planned(false).configuration.content.text.trimEnd());
  }
}

interface Chosen {
  readonly target: SetupTarget;
  readonly configuration: ConfigurationPlan | 'none';
}

/** Undefined if a file is no longer what the user was shown. */
async function write(
  setup: Setup,
  plan: SetupPlan,
  { target, configuration }: Chosen,
  call: Request,
): Promise<Done | undefined> {
  const { flag, computer } = call;
  const text = configuration === 'none' ? (target.config?.text ?? '') : configuration.configuration.content.text;
  const config = { path: target.path, text };
  const clients = await setup.clients(plan, config);
  const failed: Refusal[] = [];
  const planned = planClients({
    clients,
    config,
    setup: plan,
    computer,
    isBlind: flag('yes'),
    refuse: (refusal) => failed.push(refusal),
  });
  if (planned.plans.length > 0) installScript(ownFiles(), computer);
  const files = configuration === 'none' ? [] : commitsOf(configuration);
  const optional = planned.plans.map(({ commit }) => commit);
  if (files.length + optional.length > 0) {
    const record = await commitAll({ computer, headline: { command: setup.command }, files, optional });
    if (record === undefined) return undefined;
    if (planned.plans.length > 0) removeOldCopies(computer, lastingScript(ownFiles(), computer));
  }
  const isLeft = ({ commit }: ClientPlan) => failed.some(({ client }) => client.name === commit.client);
  return {
    plan,
    target: { ...target, path: path.resolve(target.path) },
    hasSecrets: configuration !== 'none' && configuration.secrets !== undefined,
    clients: planned.plans.filter((one) => !isLeft(one)),
    refused: [...planned.refused, ...failed],
  };
}
