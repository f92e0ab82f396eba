// Preloaded into programs without a host option, so that they listen on 127.0.0.1 only.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function listenLocally(port, ...rest) {
  const callbacks = rest.filter((argument) => typeof argument === 'function');
  return listen.call(this, { port, host: '127.0.0.1' }, ...callbacks);
};
