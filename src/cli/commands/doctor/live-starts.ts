import type { ServerConfig } from '../../../config/config.js';
import { seconds } from '../../frame/screen/amounts.js';
import { type LiveLines, showLive } from '../../frame/screen/live-lines.js';
import type { Output } from '../../frame/screen/output.js';
import { packagesOf } from './packages.js';

/** What is being started, by `performance.now()`. */
export type Running = Map<ServerConfig, number>;

/** The package is probably being downloaded. */
const downloadAfterMs = 5_000;

/** A line at the bottom of the terminal for each server that is being started. Nothing of it stays. */
export function showStarts(running: Running, output: Output): LiveLines {
  return showLive(process.stderr, output.signs.ellipsis, () => Array.from(running, (one) => lineOf(one, output)));
}

/** `› starting github … 1.9 s (limit 120 s)` */
function lineOf([{ toolbox, name, target, limits }, began]: [ServerConfig, number], { signs }: Output): string {
  const elapsedMs = performance.now() - began;
  const doing = elapsedMs > downloadAfterMs && packagesOf(target) !== undefined ? 'downloading?' : 'starting';
  const limit = `limit ${Math.round(limits.startTimeoutMs / 1_000)} s`;
  return `${signs.talk} ${doing} ${toolbox} ${name} ${signs.ellipsis} ${seconds(elapsedMs)} (${limit})`;
}
