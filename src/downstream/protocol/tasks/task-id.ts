import { longestTaskId } from './limits.js';

/** Shorter ones may be part of any word. */
const shortestRemoved = 8;

export function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestTaskId;
}

/** Ids of tasks belong to the connection: an agent could do nothing with them, or with those of others. */
export function withoutTaskId(text: string, taskId: string): string {
  return taskId.length < shortestRemoved ? text : text.replaceAll(taskId, '…');
}
