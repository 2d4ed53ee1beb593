import { afterEach, beforeEach } from 'vitest';
import { FRAME } from '../../../../src/http2/frame.ts';
import { encodeHeaders } from '../../../../src/http2/hpack-encoder.ts';
import type { Http2Stream } from '../../../../src/http2/stream.ts';
import {
  frameBytes,
  number32,
  startTestServer,
  type RawPeer,
  type TestServer,
} from '../../../support/http2-peer.ts';

/** Frames as RFC 9113 describes them, sent octet for octet. */

export const RESPONSE = encodeHeaders([[':status', '200']]);

export const TRAILERS = encodeHeaders([['grpc-status', '0']]);

export interface Seen {
  readonly stream: Http2Stream;
  readonly path: string;
  body: string;
  hasEnded: boolean;
  closed: number;
  drained: number;
}

export let server: TestServer;

export let seen: Seen[];

export const data = (id: number, text: string, flags = 0): Buffer => frameBytes(FRAME.data, flags, id, text);

export function setting(id: number, value: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(id);
  payload.writeUInt32BE(value, 2);
  return frameBytes(FRAME.settings, 0, 0, payload);
}

export const grow = (id: number, by: number): Buffer => frameBytes(FRAME.windowUpdate, 0, id, number32(by));

export async function greeted(...more: Buffer[]): Promise<RawPeer> {
  const peer = server.peer().greet(...more);
  await peer.settled();
  return peer;
}

export function first(): Seen {
  const [one] = seen;
  if (one === undefined) throw new Error('no stream was opened');
  return one;
}

/** Closes what a test opened. */
export function useRig(): void {
  beforeEach(async () => {
    seen = [];
    server = await startTestServer((stream, head) => {
      const one: Seen = { stream, path: head.path, body: '', hasEnded: false, closed: 0, drained: 0 };
      seen.push(one);
      return {
        data(bytes, from, to) {
          one.body += bytes.toString('latin1', from, to);
          if (one.body === 'throw') throw new Error('broken on purpose');
        },
        ended: () => (one.hasEnded = true),
        drained: () => one.drained++,
        closed: () => one.closed++,
      };
    });
  });

  afterEach(() => {
    server.close();
  });
}
