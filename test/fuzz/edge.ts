import type { ProcessingResponse } from '../../src/extproc/wire/messages.ts';
import { identityFor } from '../support/turn-sweep/edge.ts';
import { messagesOf, served, type SweptExchange } from '../support/turn-sweep/edge-call.ts';
import { startEverythingOn } from '../support/turn-sweep/edge-services.ts';
import { startFuzzRedis } from './redis.ts';
import { assertRefusal } from './refusals.ts';

/** An exchange as seen from both ends. */
export interface Exchanged {
  /** `passed`, the refusal's status and type, or `failed closed`. */
  readonly end: string;
  /** The body at the provider; undefined if it was not forwarded. */
  readonly forwarded: Buffer | undefined;
  /** The answer's body at the client; the JSON of a refusal. */
  readonly received: Buffer | undefined;
}

/** One worker's edge with every check enabled. */
export interface FuzzEdge {
  exchange(exchange: SweptExchange): Promise<Exchanged>;
  /** Throws if something failed that is not a refusal, or if a refusal is malformed. */
  assertSound(): void;
  close(): Promise<void>;
}

export async function openEdge(): Promise<FuzzEdge> {
  const redis = await startFuzzRedis();
  const { services, failures, close } = await startEverythingOn(redis.addr);
  let last: { readonly replies: readonly ProcessingResponse[]; readonly isMcp: boolean } | undefined;
  return {
    async exchange(exchange) {
      const { end, replies } = await served(
        { ...services, authenticate: identityFor(exchange) },
        messagesOf(exchange),
      );
      last = { replies, isMcp: exchange.path.startsWith('/mcp/') };
      return { end, forwarded: forwardedOf(replies, exchange), received: receivedOf(replies, exchange) };
    },
    assertSound() {
      const failure = failures.splice(0).at(-1);
      if (failure !== undefined && isFault(failure)) throw new Error('the edge failed', { cause: failure });
      for (const { immediate_response: refusal } of last?.replies ?? [])
        if (refusal !== undefined) assertRefusal(refusal, last?.isMcp === true);
    },
    async close() {
      await close();
      await redis.close();
    },
  };
}

/** Interrupted streams fail closed with an error message; an exception of the language is a fault. */
export function isFault(failure: unknown): boolean {
  return !(failure instanceof Error) || FAULTS.some((fault) => failure instanceof fault);
}

const FAULTS = [TypeError, RangeError, SyntaxError, ReferenceError];

function forwardedOf(replies: readonly ProcessingResponse[], { body }: SweptExchange): Buffer | undefined {
  const reply = replies.find(({ request_body: found }) => found !== undefined)?.request_body;
  return reply && (reply.response.body_mutation?.body ?? body);
}

function receivedOf(replies: readonly ProcessingResponse[], { answer }: SweptExchange): Buffer | undefined {
  const parts: Buffer[] = [];
  for (const { response_body: reply, immediate_response: refusal, mode_override: mode } of replies) {
    if (refusal !== undefined) parts.push(refusal.body);
    // Envoy would pass the body unseen.
    if (mode?.response_body_mode === 0) parts.push(answer?.body ?? Buffer.alloc(0));
    const change = reply?.response.body_mutation;
    if (change?.streamed_response !== undefined) parts.push(change.streamed_response.body);
    else if (reply !== undefined) parts.push(change?.body ?? answer?.body ?? Buffer.alloc(0));
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}
