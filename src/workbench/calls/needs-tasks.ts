import type { Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';

/** Whether a tool can only be called as a task. */
export function needsTasks({ execution }: Tool): boolean {
  return isRecord(execution) && execution['taskSupport'] === 'required';
}
