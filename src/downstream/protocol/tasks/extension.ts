/** The extension of 2026-07-28 by which a call may be answered with a task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The key in `_meta` of a result that names the task which it is the result of. */
export const relatedTask = 'io.modelcontextprotocol/related-task';
