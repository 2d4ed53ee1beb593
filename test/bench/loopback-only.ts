/** Loaded before a program that would listen on every address: it listens on loopback only. */
import { Server } from 'node:net';

const listen = Server.prototype.listen;

Server.prototype.listen = function (this: Server, port: unknown, _host: unknown, ...rest: unknown[]): Server {
  const ready = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ready);
} as typeof listen;
