import { exists, processesWith } from '../rig/processes.mjs';
import { readServerLog } from './log.mjs';
import { servers } from './servers.mjs';

const mortals = new Set(servers.filter(({ mortal }) => mortal).map(({ toolbox, server }) => `${toolbox}/${server}`));

/** Kills mortal servers at random, alone or with everything they started. `kills` records which and when. */
export function createKiller(logFile, markerEntry, random) {
  const kills = [];

  function killOne() {
    // Only processes with our marker: a process id from the log may have been reused.
    const ours = new Set(processesWith(markerEntry));
    const { processes } = readServerLog(logFile);
    const victims = [...processes].filter(([pid, name]) => mortals.has(name) && ours.has(pid) && exists(pid));
    if (victims.length === 0) return;
    const [pid, name] = random.pick(victims);
    const whole = random.next() < 0.5;
    kills.push({ name, at: performance.now(), whole });
    try {
      process.kill(whole ? -pid : pid, 'SIGKILL');
    } catch {
      kills.pop();
    }
  }

  return { kills, killOne };
}
