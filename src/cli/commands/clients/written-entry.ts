import path from 'node:path';
import { type ConfigText, variablesIn } from '../../../clients/served-servers.js';
import type { Client, Launch } from '../../../clients/table/client.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Call } from '../../frame/command.js';
import { type HttpTarget, httpEntry, type WrittenEntry } from './http-target.js';
import { isUnpublished, ownFiles, sharedLaunch, userLaunch } from './own-launch.js';

/** What a client is connected to: a program that it starts, or a service over HTTP. */
export type Connected = { readonly config: ConfigText } | { readonly service: HttpTarget };

export function writtenEntry(client: Client, to: Connected, call: Call, isProject: boolean): WrittenEntry {
  if ('service' in to) return httpEntry(client, to.service, call, isProject);
  return { entry: client.entry(launchFor(call, to.config, isProject)), asksForToken: false, hasToken: false };
}

export function launchFor({ computer }: Pick<Call, 'computer'>, config: ConfigText, isProject: boolean): Launch {
  const variables = variablesIn(config);
  if (!isProject) return userLaunch(config.path, variables, computer);
  requirePublished();
  const relative = path.relative(computer.cwd, config.path);
  if (relative.startsWith('..') || path.isAbsolute(relative))
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      `${config.path} is not in this project, so others would not have it. Name one that is: --config FILE. Nothing was changed.`,
    );
  return sharedLaunch(relative.split(path.sep).join('/'), variables);
}

function requirePublished(): void {
  if (isUnpublished(ownFiles()))
    throw new WorkbenchError(
      'CLIENT_FILE_UNWRITABLE',
      'This copy of the program is not a published version, so others could not install what --project writes; nothing was changed.',
    );
}
