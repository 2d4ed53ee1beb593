import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { startExtProcServer } from '../../../src/extproc/server.ts';
import { FRAME } from '../../../src/http2/frame.ts';
import { encodeHeaders } from '../../../src/http2/hpack-encoder.ts';
import { loadServices } from '../../support/ext-proc-client.ts';
import { frameBytes, openStream, RawPeer, type PeerFrame } from '../../support/http2-peer.ts';
import { identityFor } from '../../support/turn-sweep/edge.ts';
import { messagesOf, type SweptExchange } from '../../support/turn-sweep/edge-call.ts';
import { startEverythingOn } from '../../support/turn-sweep/edge-services.ts';
import { isFault } from '../edge.ts';
import { mutated, mutations, pieces, someCuts, type Mutation } from '../mutations.ts';
import { leakIn, PLANTED_SECRETS } from '../planted.ts';
import { startFuzzRedis } from '../redis.ts';
import type { Surface } from '../surface.ts';
import { toEnvoyMessage, type EnvoyReply } from '../envoy-messages.ts';

const [PLANTED = ''] = PLANTED_SECRETS;
const CHAT: SweptExchange = {
  path: '/openai/v1/chat/completions',
  body: Buffer.from(
    JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: `a ${PLANTED} b` }] }),
  ),
  answer: {
    contentType: 'application/json',
    body: Buffer.from(
      JSON.stringify({ choices: [{ message: { role: 'assistant', content: `a ${PLANTED} b` } }] }),
    ),
  },
};
const STREAM: SweptExchange = {
  ...CHAT,
  answer: {
    contentType: 'text/event-stream',
    body: Buffer.from(
      `data: {"choices":[{"index":0,"delta":{"content":"a ${PLANTED} b"}}]}\n\ndata: [DONE]\n\n`,
    ),
  },
};
const TRAILERS = { request_trailers: { trailers: { headers: [{ key: 'x', raw_value: Buffer.from('y') }] } } };

/** Envoy's messages, some omitted, repeated or moved, mutated as octets, and cut into frames anywhere. */
const cases = fc.record({
  exchange: fc.constantFrom('whole', 'stream'),
  /** Indexes into the messages of an exchange, followed by a message of trailers. */
  order: fc.oneof<fc.MaybeWeightedArbitrary<number[]>[]>(
    { weight: 2, arbitrary: fc.constant([0, 1, 2, 3]) },
    { weight: 3, arbitrary: fc.array(fc.nat(4), { maxLength: 8 }) },
  ),
  changes: fc.array(mutations(2), { maxLength: 8 }),
  /** Limit of all gRPC messages together. */
  framing: mutations(1),
  cuts: someCuts,
});

export const extProc: Surface<FuzzedCall> = {
  cases,
  async open() {
    const redis = await startFuzzRedis();
    const { services, failures, close } = await startEverythingOn(redis.addr);
    const directory = mkdtempSync(join(tmpdir(), 'gw-fuzz-'));
    const path = join(directory, 'ext-proc.sock');
    const server = await startExtProcServer({
      address: { kind: 'unix', path },
      transport: 'lean',
      services: { ...services, authenticate: (...asked) => identityFor(CHAT)(...asked) },
    });
    return {
      async run({ exchange, order, changes, framing, cuts }) {
        const all = ALL[exchange];
        const messages = order.map((index, at) => mutated(all[index] ?? TRAILING, changes[at] ?? []));
        const replies = await said(path, messages, {
          framing,
          cuts,
          isWhole: messages.every((one, at) => one === (all[order[at] ?? 0] ?? TRAILING)),
        });
        return async () => {
          const failure = failures.splice(0).find(isFault);
          if (failure !== undefined) throw new Error('the edge failed', { cause: failure });
          assertNothingLeft(messages, replies);
          const served = await said(path, ALL.whole);
          if (!served.some(({ response_body: reply }) => reply !== undefined))
            throw new Error('the next call is not served');
        };
      },
      async close() {
        await server.drain(100);
        await close();
        await redis.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

const { Process: process } = loadServices().processor.service;
const ALL = { whole: messagesFor(CHAT), stream: messagesFor(STREAM) };
const TRAILING = encoded(TRAILERS);

/** In Envoy's order. */
function messagesFor(exchange: SweptExchange): readonly Buffer[] {
  const reply =
    exchange === STREAM ? { mode_override: { response_body_mode: 4, response_trailer_mode: 1 } } : {};
  const messages = messagesOf(exchange);
  const all: Buffer[] = [];
  for (let step = messages.next(); step.done !== true; step = messages.next(reply))
    all.push(encoded(toEnvoyMessage(step.value)));
  return all;
}

function encoded(message: object): Buffer {
  return process?.requestSerialize(message) ?? Buffer.alloc(0);
}

const CALL = encodeHeaders([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', process?.path ?? ''],
  [':authority', 'x'],
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
]);

/** Malformed messages get no reply. */
const QUIET_MS = 25;
/** Every message gets one. */
const WHOLE_QUIET_MS = 2_000;

interface Framing {
  readonly framing?: readonly Mutation[];
  readonly cuts?: readonly number[];
  /** Set if no message was mutated. */
  readonly isWhole?: boolean;
}

/** Sends octets in one call, and returns the replies once the server has ended it. */
async function said(
  path: string,
  messages: readonly Buffer[],
  { framing = [], cuts = [], isWhole = true }: Framing = {},
): Promise<readonly EnvoyReply[]> {
  const octets = mutated(Buffer.concat(messages.map(prefixed)), framing);
  const peer = new RawPeer(path).greet(openStream(1, false, CALL));
  for (const piece of pieces(octets, cuts)) peer.send(frameBytes(FRAME.data, 0, 1, piece));
  const hasEnded = (): boolean => peer.isClosed || peer.frames.some(endsCall);
  const quietMs = framing.length === 0 && isWhole ? WHOLE_QUIET_MS : QUIET_MS;
  for (let seen = -1; !hasEnded() && seen < peer.frames.length;) {
    seen = peer.frames.length;
    const replies = repliesIn(peer);
    if (replies.length >= messages.length || replies.some(isRefusal)) break;
    await Promise.race([peer.until(() => peer.frames.length > seen), delay(quietMs)]);
  }
  peer.send(frameBytes(FRAME.data, 1, 1));
  await peer.until(hasEnded);
  peer.socket.destroy();
  return repliesIn(peer);
}

/** Trailers, or a reset. */
function endsCall({ type, flags, id }: PeerFrame): boolean {
  return id === 1 && (type === FRAME.resetStream || (type === FRAME.headers && (flags & 1) === 1));
}

function isRefusal(reply: EnvoyReply): boolean {
  return reply.immediate_response !== undefined;
}

function repliesIn(peer: RawPeer): readonly EnvoyReply[] {
  const body = peer.body(1);
  const replies: EnvoyReply[] = [];
  for (let from = 0; from + 5 <= body.length;) {
    const to = from + 5 + body.readUInt32BE(from + 1);
    if (to > body.length) break;
    replies.push(process?.responseDeserialize(body.subarray(from + 5, to)) as EnvoyReply);
    from = to;
  }
  return replies;
}

function prefixed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A passed or changed body contains no planted value. */
function assertNothingLeft(messages: readonly Buffer[], replies: readonly EnvoyReply[]): void {
  for (const phase of ['request_body', 'response_body'] as const) {
    const bodies = messages
      .map(decoded)
      .flatMap((message) => (message?.[phase]?.body === undefined ? [] : [message[phase].body]));
    // Before a request was forwarded an answer is Envoy's own.
    const from =
      phase === 'response_body' ? replies.findIndex((reply) => reply.request_body !== undefined) : 0;
    for (const reply of from < 0 ? [] : replies.slice(from)) {
      const response = reply[phase]?.response;
      if (reply[phase] === undefined) continue;
      const change = response?.body_mutation;
      const sent = change?.streamed_response?.body ?? change?.body;
      // Unchanged: it may be any of the received bodies.
      const left = sent === undefined ? bodies : [sent];
      const leak = left.every((body) => leakIn(body, PLANTED) !== undefined) && left.length > 0;
      if (leak) throw new Error(`what was planted leaves in ${phase}`);
    }
  }
}

function decoded(message: Buffer): EnvoyReply | undefined {
  try {
    return process?.requestDeserialize(message) as EnvoyReply;
  } catch {
    return undefined;
  }
}

type FuzzedCall = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
