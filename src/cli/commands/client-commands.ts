// One part for the commands that edit files of clients: they share nearly all of their code.
export { run as connect } from './connect.js';
export { run as disconnect } from './disconnect.js';
export { run as undo } from './undo.js';
