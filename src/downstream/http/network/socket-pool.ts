import * as http from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { idleSocketMs } from '../../../limits.js';

/** The announced time ends at the server when its last byte has left, and here when that byte has arrived. */
const announcedTimeMarginMs = 1_000;

/** A request with the socket that was opened for it, if none was idle. */
export interface PooledRequest extends http.RequestOptions {
  readonly fresh: Socket | undefined;
}

/** Connections to one server by one route, kept for the next request. */
export class SocketPool extends http.Agent {
  /** With what removes each of them. */
  private readonly idle = new Map<Duplex, () => void>();
  private readonly idleMs = new WeakMap<Duplex, number>();

  constructor() {
    super({ keepAlive: true });
  }

  hasIdle(): boolean {
    return this.idle.size > 0;
  }

  /**
   * Reads what has arrived on idle connections. A server may have closed one: a request on it would be lost, and it would be
   * unknown whether the server got it.
   */
  async readNews(): Promise<void> {
    if (!this.hasIdle()) return;
    // The second turn comes after the event loop has asked all sockets.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }

  /** Servers that announce how long they keep idle connections are believed. */
  noteResponse({ socket, headers }: http.IncomingMessage): void {
    const announced = /(?:^|[,\s])timeout=(\d+)/i.exec(String(headers['keep-alive'] ?? ''))?.[1];
    const seconds = announced === undefined ? Number.POSITIVE_INFINITY : Number(announced);
    this.idleMs.set(socket, Math.min(idleSocketMs, seconds * 1_000 - announcedTimeMarginMs));
  }

  override createConnection(options: http.ClientRequestArgs): Duplex | null | undefined {
    if ('fresh' in options && options.fresh instanceof Socket) return options.fresh;
    throw new Error('no connection was opened for the request');
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const idleMs = this.idleMs.get(socket) ?? 0;
    if (!(socket instanceof Socket) || idleMs <= 0 || socket.readableEnded) return false;
    const retire = () => {
      this.leaveIdleness(socket);
      socket.destroy();
      // Otherwise Node.js can choose it for a request until its close event.
      socket.emit('agentRemove');
    };
    this.idle.set(socket, retire);
    for (const event of endsOfIdleness) socket.on(event, retire);
    socket.unref();
    socket.setTimeout(idleMs);
    return true;
  }

  override reuseSocket(socket: Duplex, request: http.ClientRequest): void {
    super.reuseSocket(socket, request);
    this.leaveIdleness(socket);
  }

  private leaveIdleness(socket: Duplex): void {
    const retire = this.idle.get(socket);
    this.idle.delete(socket);
    if (retire !== undefined) for (const event of endsOfIdleness) socket.off(event, retire);
  }
}

/** Nothing may come from a server before the next request: `data` could pass for its response. */
const endsOfIdleness = ['timeout', 'data', 'end', 'error', 'close'] as const;
