import { afterEach, beforeEach, expect, it } from 'vitest';
import { FRAME } from '../../../src/http2/frame.ts';
import { HpackDecoder } from '../../../src/http2/hpack-decoder.ts';
import { encodeHeaders } from '../../../src/http2/hpack-encoder.ts';
import { LIMITS } from '../../../src/http2/limits.ts';
import {
  frameBytes,
  number32,
  openStream,
  startTestServer,
  type TestServer,
} from '../../support/http2-peer.ts';
import { createRandom } from '../../support/random.ts';

/** Whatever octets come: nothing is thrown out of the server, every stream is closed once, and others are served. */

const PEERS = 300;
const BLOCKS = 20_000;

let server: TestServer;
let opened = 0;
let closed = 0;

beforeEach(async () => {
  opened = 0;
  closed = 0;
  server = await startTestServer((stream) => {
    opened++;
    stream.respond(encodeHeaders([[':status', '200']]));
    return {
      data: (bytes, from, to) => void stream.send('', bytes.subarray(from, to)),
      ended: () => stream.end(encodeHeaders([['x-end', 'yes']])),
      drained: () => undefined,
      closed: () => closed++,
    };
  });
});
afterEach(() => {
  server.close();
});

const random = createRandom(20_261);
const upTo = (limit: number): number => Math.floor(random() * limit);
const octets = (length: number): Buffer => Buffer.from(Array.from({ length }, () => upTo(256)));

/** A frame that is mostly right. */
function anyFrame(): Buffer {
  const id = 2 * upTo(6) + 1;
  switch (upTo(9)) {
    case 0:
      return openStream(id, random() < 0.5);
    case 1:
      return frameBytes(FRAME.headers, upTo(256), id, octets(upTo(60)));
    case 2:
      return frameBytes(FRAME.data, upTo(256), id, octets(upTo(300)));
    case 3:
      return frameBytes(FRAME.windowUpdate, 0, random() < 0.5 ? 0 : id, number32(upTo(0xffff_ffff)));
    case 4:
      return frameBytes(FRAME.resetStream, 0, id, number32(upTo(14)));
    case 5:
      return frameBytes(
        FRAME.settings,
        0,
        0,
        Buffer.concat([Buffer.of(0, upTo(8)), number32(upTo(0xffff_ffff))]),
      );
    case 6:
      return frameBytes(FRAME.ping, upTo(2), 0, octets(8));
    case 7:
      return frameBytes(FRAME.continuation, upTo(256), id, octets(upTo(40)));
    default:
      return frameBytes(upTo(256), upTo(256), upTo(0x8000_0000), octets(upTo(40)));
  }
}

function mutated(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let times = upTo(3); times > 0; times--) copy[upTo(copy.length)] = upTo(256);
  return random() < 0.1 ? copy.subarray(0, upTo(copy.length)) : copy;
}

it('frames right and wrong', async () => {
  const before = process.memoryUsage().rss;
  for (let nth = 0; nth < PEERS; nth++) {
    const frames = Array.from({ length: 40 }, anyFrame);
    const peer = server
      .peer()
      .greet(openStream(1), ...frames.map((one) => (random() < 0.2 ? mutated(one) : one)));
    peer.socket.end();
    await peer.until(() => peer.isClosed);
  }
  await expect.poll(() => closed).toBe(opened);
  expect(opened).toBeGreaterThan(PEERS / 2);
  expect(server.faults).toEqual([]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  const peer = server.peer().greet(openStream(1), frameBytes(FRAME.data, 1, 1, 'still here'));
  await peer.settled();
  expect(peer.body(1).toString()).toBe('still here');
});

it('octets that mean nothing', async () => {
  for (let nth = 0; nth < PEERS; nth++) {
    const peer = random() < 0.5 ? server.peer().send(octets(500)) : server.peer().greet(octets(500));
    peer.socket.end();
    await peer.until(() => peer.isClosed);
  }
  await expect.poll(() => closed).toBe(opened);
  expect(server.faults).toEqual([]);
});

it('blocks of headers: they are read or refused, and the table stays within its size', () => {
  const block = Buffer.from(
    '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff40 8825 a849 e95b a97d 7f89 25a8 49e9 5bb8 e8b4 bf'.replaceAll(
      ' ',
      '',
    ),
    'hex',
  );
  let decoder = new HpackDecoder(LIMITS.headerListBytes);
  let read = 0;
  for (let nth = 0; nth < BLOCKS; nth++) {
    const bytes = random() < 0.5 ? mutated(block) : octets(upTo(50));
    try {
      decoder.decode(bytes, 0, bytes.length);
      read++;
    } catch (refused) {
      expect(refused).toBeInstanceOf(Error);
      expect(String(refused)).toMatch(/^Error: a (?:header|list|number)/);
      decoder = new HpackDecoder(LIMITS.headerListBytes);
    }
  }
  expect(read).toBeGreaterThan(BLOCKS / 10);
});
