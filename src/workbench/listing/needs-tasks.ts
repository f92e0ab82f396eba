import type { Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';

/** Whether a tool can only be called through the tasks extension. */
export function needsTasks({ execution }: Tool): boolean {
  return isRecord(execution) && execution['taskSupport'] === 'required';
}
