// One part for what reads and edits files of clients, and our own: it shares nearly all of its code.
export { checkClients } from '../doctor/check-clients.js';
export { run as add } from './add.js';
export { run as connect } from './connect.js';
export { run as disconnect } from './disconnect.js';
export { run as importServers } from './import.js';
export { run as init } from './init.js';
export { run as move } from './move.js';
export { run as remove } from './remove.js';
export { disable, enable } from './switch.js';
export { run as undo } from './undo.js';
