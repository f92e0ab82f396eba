// One part for what reads and edits files of clients: it shares nearly all of its code.
export { checkClients } from '../doctor/check-clients.js';
export { run as connect } from './connect.js';
export { run as disconnect } from './disconnect.js';
export { run as importServers } from './import.js';
export { run as init } from './init.js';
export { run as undo } from './undo.js';
