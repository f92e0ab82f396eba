import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { SinkPart } from '../fan-out.js';
import type { StatusPlace } from './serve-status.js';

/** Makes sessions known to other processes: these may miss what happens, and ask again. */
export function statusPart(place: StatusPlace, log: Log): SinkPart {
  return {
    name: 'status',
    mayLose: true,
    load: async () => (await loadPart(() => import('./serve-status.js'))).serveStatus(place, log),
  };
}
