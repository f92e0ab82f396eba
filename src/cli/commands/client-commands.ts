// One part for what reads and edits files of clients, and our own: it shares nearly all of its code.

export { run as connect } from './clients/connect.js';
export { run as disconnect } from './clients/disconnect.js';
export { run as undo } from './clients/undo.js';
export { run as add } from './edit/add.js';
export { run as importServers } from './edit/import.js';
export { run as move } from './edit/move.js';
export { run as remove } from './edit/remove.js';
export { disable, enable } from './edit/switch.js';
export { run as init } from './init/init.js';
