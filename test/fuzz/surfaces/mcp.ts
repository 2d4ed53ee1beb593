import fc from 'fast-check';
import { MCP_SERVER } from '../../support/turn-sweep/edge-services.ts';
import { MCP_ANSWERS, MCP_REQUESTS } from '../../support/turn-sweep/mcp-places.ts';
import { filled, leavesOf } from '../../support/turn-sweep/places.ts';
import { disguised, disguises } from '../disguises.ts';
import { openEdge } from '../edge.ts';
import { mutated, mutations, pieces, someCuts } from '../mutations.ts';
import { leakIn, PLANTED, PLANTED_SECRETS } from '../planted.ts';
import type { Surface } from '../surface.ts';
import { leafOf, nearby } from '../words.ts';

const FORMS = ['one message', 'a batch', 'an event', 'events with line ends of Windows'] as const;

/** Messages to an MCP server and from it, with a planted value in one of them, disguised and mutated. */
const cases = fc.record({
  side: fc.constantFrom('request', 'answer'),
  message: fc.nat(99),
  leaf: fc.nat(99),
  planted: fc.nat(99),
  before: nearby,
  after: nearby,
  disguise: disguises,
  form: fc.constantFrom(...FORMS),
  changes: mutations(2),
  chunks: someCuts,
  asked: fc.constantFrom('tools/call', 'tools/list', 'resources/read'),
});

export const mcp: Surface<FuzzedMessage> = {
  cases,
  async open() {
    const edge = await openEdge();
    const path = `/mcp/${MCP_SERVER}`;
    return {
      async run(message) {
        const isRequest = message.side === 'request';
        const list = isRequest ? PLANTED : PLANTED_SECRETS;
        const planted = list[message.planted % list.length] ?? '';
        const body = bodyOf(message, isRequest ? MCP_REQUESTS : MCP_ANSWERS, planted);
        const isStream = message.form === 'an event' || message.form === 'events with line ends of Windows';
        const { forwarded, received } = await edge.exchange(
          isRequest
            ? { path, body }
            : {
                path,
                body: Buffer.from(JSON.stringify(call(message.asked))),
                answer: {
                  contentType: isStream ? 'text/event-stream' : 'application/json',
                  body,
                  chunks: pieces(body, message.chunks),
                },
              },
        );
        return () => {
          edge.assertSound();
          const left = isRequest ? forwarded : received;
          const leak = left && leakIn(left, planted);
          if (leak !== undefined)
            throw new Error(`the other end reads what was planted: ${JSON.stringify(leak)}`);
        };
      },
      close: () => edge.close(),
    };
  },
};

function call(method: string): object {
  const params = { name: 'echo', uri: 'file:///x', arguments: {} };
  return { jsonrpc: '2.0', id: 1, method, params };
}

function bodyOf(message: FuzzedMessage, messages: readonly unknown[], planted: string): Buffer {
  const document = messages[message.message % messages.length];
  const text = JSON.stringify(`${message.before}${planted}${message.after}`);
  const json = filled(document, leafOf(leavesOf(document), message.leaf), text).toString();
  const written = disguised(message.form === 'a batch' ? `[${json}]` : json, message.disguise);
  return mutated(framed(written, message.form), message.changes);
}

function framed(json: Buffer, form: FuzzedMessage['form']): Buffer {
  if (form === 'an event')
    return Buffer.concat([Buffer.from('event: message\ndata: '), json, Buffer.from('\n\n')]);
  if (form !== 'events with line ends of Windows') return json;
  return Buffer.concat([Buffer.from('id: 1\r\ndata:'), json, Buffer.from('\r\n\r\n: x\r\n\r\n')]);
}

type FuzzedMessage = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
