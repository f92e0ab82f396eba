import path from 'node:path';
import { mapped } from '../../../clients/own-form.js';
import { parseFile } from '../../../config/read/parse.js';
import type { Computer } from '../../../platform/computer.js';
import type { ImportedServer } from '../../../setup/merge-servers.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import { isUrl } from '../../../text/secrets/plain.js';
import type { Output } from '../../frame/screen/output.js';
import { planOf, serverLines } from '../trust/trust-plan.js';

const longestText = 4_000;

/**
 * What files of a project or a pasted text would run is shown whole, as `trust` does: others may have written them, and nothing that is run may
 * hide behind what looks like a secret.
 */
export function printShared(plan: SetupPlan, configFile: string, { home }: Computer, output: Output): void {
  const servers = [...plan.fates].flatMap(([{ source }, fate]) =>
    source.isShared && fate.kind === 'new' ? [fate.server] : [],
  );
  if (servers.length === 0) return;
  const { file } = parseFile(textOf(servers, plan), configFile);
  const isPasted = plan.found.sources.some((source) => source.isPasted === true);
  output.print(isPasted ? 'This would run:' : '\nFiles that others may have written would run:');
  output.print(
    serverLines(
      planOf(file, path.dirname(configFile), home).flatMap((one) => one.servers),
      2,
    ),
  );
}

/** A configuration with these servers. */
function textOf(servers: readonly ImportedServer[], plan: SetupPlan): string {
  const values = new Map(plan.secrets.map(({ name, value }) => [`\${secret:${name}}`, value]));
  const entries = servers.map((server) => {
    const entry = plan.entryOf(server);
    const shown = {
      ...entry,
      ...(entry.args !== undefined && { args: entry.args.map((word) => withCode(word, values)) }),
      ...(entry.url !== undefined && { url: withCode(entry.url, values) }),
    };
    return [server.name, mapped(shown, shortened)] as const;
  });
  return JSON.stringify({ toolboxes: { any: { description: 'any', mcpServers: Object.fromEntries(entries) } } });
}

/** A reference to a secret stays, unless what it stands for could be code, or says which host is called. */
function withCode(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{secret:\w+\}/g, (reference) => {
    const value = values.get(reference) ?? '';
    const isShown = isUrl(value) || !/^[\w.~+/=:@-]*$/.test(value);
    return isShown ? value.replaceAll('${', () => '$${') : reference;
  });
}

function shortened(text: string): string {
  const more = text.length - longestText;
  return more <= 0 ? text : `${text.slice(0, longestText)}… (${more} more characters)`;
}
