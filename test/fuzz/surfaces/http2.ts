import fc from 'fast-check';
import { FRAME } from '../../../src/http2/frame.ts';
import { HpackDecoder } from '../../../src/http2/hpack-decoder.ts';
import { encodeHeaders } from '../../../src/http2/hpack-encoder.ts';
import { LIMITS } from '../../../src/http2/limits.ts';
import { frameBytes, number32, openStream, REQUEST, startTestServer } from '../../support/http2-peer.ts';
import { mutated, mutations, type Mutation } from '../mutations.ts';
import type { Surface } from '../surface.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const ids = fc.nat(6).map((nth) => 2 * nth + 1);
const flags = fc.nat(255);
const uint32 = fc.nat(0xffff_ffff);

function mutatedBlock(changes: readonly Mutation[]): string {
  return mutated(Buffer.from(REQUEST, 'latin1'), changes).toString('latin1');
}

/** A frame that is mostly valid. */
const frame: fc.Arbitrary<Buffer> = fc.oneof(
  fc.tuple(ids, fc.boolean()).map(([id, isEnd]) => openStream(id, isEnd)),
  fc.tuple(ids, mutations(2)).map(([id, changes]) => openStream(id, false, mutatedBlock(changes))),
  fc.tuple(flags, ids, bytes(60)).map(([flag, id, block]) => frameBytes(FRAME.headers, flag, id, block)),
  fc.tuple(flags, ids, bytes(300)).map(([flag, id, data]) => frameBytes(FRAME.data, flag, id, data)),
  fc
    .tuple(fc.oneof(ids, fc.constant(0)), uint32)
    .map(([id, by]) => frameBytes(FRAME.windowUpdate, 0, id, number32(by))),
  fc.tuple(ids, fc.nat(14)).map(([id, code]) => frameBytes(FRAME.resetStream, 0, id, number32(code))),
  fc
    .tuple(fc.nat(8), uint32)
    .map(([name, value]) =>
      frameBytes(FRAME.settings, 0, 0, Buffer.concat([Buffer.of(0, name), number32(value)])),
    ),
  fc.tuple(fc.nat(2), bytes(9)).map(([flag, data]) => frameBytes(FRAME.ping, flag, 0, data)),
  fc.tuple(flags, ids, bytes(40)).map(([flag, id, block]) => frameBytes(FRAME.continuation, flag, id, block)),
  fc
    .tuple(flags, flags, fc.nat(0x7fff_ffff), bytes(40))
    .map(([type, flag, id, data]) => frameBytes(type, flag, id, data)),
);

/** Octets of one peer: valid and invalid frames, or anything; and a block of headers for the decoder alone. */
const cases = fc.record({
  greets: fc.boolean(),
  frames: fc.array(fc.tuple(frame, mutations(2)), { maxLength: 40 }),
  octets: bytes(100),
  block: fc.oneof(
    bytes(50),
    mutations(3).map((changes) => Buffer.from(mutatedBlock(changes), 'latin1')),
  ),
});

export const http2: Surface<FuzzedPeer> = {
  cases,
  async open() {
    let opened = 0;
    let closed = 0;
    const server = await startTestServer((stream) => {
      opened += 1;
      stream.respond(encodeHeaders([[':status', '200']]));
      return {
        data: (data, from, to) => void stream.send('', data.subarray(from, to)),
        ended: () => stream.end(encodeHeaders([['x-end', 'yes']])),
        drained: () => undefined,
        closed: () => (closed += 1),
      };
    });
    return {
      async run({ greets, frames, octets, block }) {
        const peer = server.peer();
        const said = [...frames.map(([one, changes]) => mutated(one, changes)), octets];
        if (greets) peer.greet(...said);
        else peer.send(...said);
        peer.socket.end();
        await peer.until(() => peer.isClosed);
        const unread = decodes(block);
        return async () => {
          if (unread !== undefined) throw new Error('a block is refused by a fault', { cause: unread });
          const fault = server.faults.splice(0).at(0);
          if (fault !== undefined) throw new Error('the server failed', { cause: fault });
          for (let tries = 0; closed !== opened && tries < 100; tries += 1) await new Promise(setImmediate);
          if (closed !== opened) throw new Error(`${String(opened - closed)} streams were not closed`);
          await assertServed(server);
        };
      },
      close() {
        server.close();
        return Promise.resolve();
      },
    };
  },
};

/** The failure, if it is not a message about the block. */
function decodes(block: Uint8Array): unknown {
  try {
    new HpackDecoder(LIMITS.headerListBytes).decode(Buffer.from(block), 0, block.length);
    return undefined;
  } catch (refused) {
    return refused instanceof Error && /^a (?:header|list|number)/.test(refused.message)
      ? undefined
      : refused;
  }
}

/** Another peer is served. */
async function assertServed(server: Awaited<ReturnType<typeof startTestServer>>): Promise<void> {
  const peer = server.peer().greet(openStream(1), frameBytes(FRAME.data, 1, 1, 'still here'));
  await peer.settled();
  const said = peer.body(1).toString();
  peer.socket.destroy();
  if (said !== 'still here') throw new Error(`another peer was told ${JSON.stringify(said)}`);
}

type FuzzedPeer = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
