import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRAME, FRAME_HEAD_BYTES, PREFACE } from '../../src/http2/frame.ts';
import { encodeHeaders } from '../../src/http2/hpack-encoder.ts';
import type { Http2RequestHead } from '../../src/http2/request-head.ts';
import { startHttp2Server } from '../../src/http2/server.ts';
import type { Http2Stream, StreamEvents } from '../../src/http2/stream.ts';

/** A frame as read by a test. */
export interface PeerFrame {
  readonly type: number;
  readonly flags: number;
  readonly id: number;
  readonly payload: Buffer;
}

/** One frame in octets, of any length, valid or not. */
export function frameBytes(
  type: number,
  flags: number,
  id: number,
  payload: Uint8Array | string = '',
): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, body]);
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export const SETTINGS = frameBytes(FRAME.settings, 0, 0);
export const REQUEST = encodeHeaders([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/test'],
  [':authority', 'test'],
]);

/** HEADERS that open a stream, whole. */
export function openStream(id: number, isEnd = false, block = REQUEST): Buffer {
  return frameBytes(FRAME.headers, isEnd ? 0x5 : 0x4, id, block);
}

/** A client that sends exactly the octets of a test. */
export class RawPeer {
  readonly socket: Socket;
  readonly frames: PeerFrame[] = [];
  isClosed = false;
  #rest: Buffer = Buffer.alloc(0);
  #waiting: (() => void)[] = [];

  /** @param at a socket's path, or a port on loopback */
  constructor(at: string | number) {
    this.socket = typeof at === 'string' ? connect(at) : connect(at, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  /** The preface, SETTINGS, and what follows. */
  greet(...more: Uint8Array[]): this {
    return this.send(Buffer.from(PREFACE), SETTINGS, ...more);
  }

  send(...bytes: Uint8Array[]): this {
    this.socket.write(Buffer.concat(bytes));
    return this;
  }

  /** Waits for the first frame of a type, and of a stream if given. Fails if the peer closes first. */
  async frame(type: number, id?: number): Promise<PeerFrame> {
    const isIt = (frame: PeerFrame): boolean => frame.type === type && (id === undefined || frame.id === id);
    await this.until(() => this.frames.some(isIt));
    const found = this.frames.find(isIt);
    if (found === undefined) throw new Error(`no frame of type ${String(type)} came`);
    return found;
  }

  /** The code of GOAWAY, once the connection is over. */
  async goAway(): Promise<number> {
    await this.until(() => this.isClosed);
    return (await this.frame(FRAME.goAway)).payload.readUInt32BE(4);
  }

  async resetCode(id: number): Promise<number> {
    return (await this.frame(FRAME.resetStream, id)).payload.readUInt32BE(0);
  }

  /** The body of a stream so far. */
  body(id: number): Buffer {
    return Buffer.concat(
      this.frames.filter((one) => one.type === FRAME.data && one.id === id).map((one) => one.payload),
    );
  }

  /** Resolves once every earlier frame was handled: the answer to a PING follows them. */
  async settled(): Promise<void> {
    const mark = Buffer.alloc(8);
    mark.writeUInt32BE(++marks);
    this.send(frameBytes(FRAME.ping, 0, 0, mark));
    await this.until(() => this.frames.some((one) => one.type === FRAME.ping && one.payload.equals(mark)));
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere() && !this.isClosed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) break;
      const [, , , type = 0, flags = 0] = this.#rest;
      const payload = this.#rest.subarray(FRAME_HEAD_BYTES, end);
      this.frames.push({ type, flags, id: this.#rest.readUInt32BE(5), payload });
      this.#rest = this.#rest.subarray(end);
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

let marks = 0;

export interface TestServer {
  readonly path: string;
  readonly faults: unknown[];
  /** Opens a connection that is closed with the server. */
  peer(): RawPeer;
  /** Releases only the server. */
  stop(): void;
  close(): void;
}

/** Our HTTP/2 on its own socket, with a test's handler. */
export async function startTestServer(
  accept: (stream: Http2Stream, head: Http2RequestHead) => StreamEvents,
): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-http2-'));
  const path = join(directory, 'h2.sock');
  const faults: unknown[] = [];
  const server = await startHttp2Server({
    address: { kind: 'unix', path },
    accept,
    onFault: (cause) => faults.push(cause),
  });
  const peers: RawPeer[] = [];
  return {
    path,
    faults,
    peer() {
      const peer = new RawPeer(path);
      peers.push(peer);
      return peer;
    },
    stop: () => {
      server.close();
    },
    close() {
      server.close();
      for (const { socket } of peers) socket.destroy();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
