import { randomUUID } from 'node:crypto';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import type { ProcessingResponse } from '../../../src/extproc/wire/messages.ts';
import { newFacts } from '../../../src/pipeline/facts.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { NO_RISK } from '../exchange.ts';
import { messagesOf, served, type SweptExchange } from './edge-call.ts';
import { startEverythingOn } from './edge-services.ts';
import { watchTurns } from './turn-watch.ts';

export interface Swept {
  /** The longest turn of the event loop, in milliseconds of this thread's CPU. */
  readonly longestTurnMs: number;
  /** Its outcome: `passed`, or the status of the refusal, or `failed closed`. */
  readonly end: string;
  /** In order. */
  readonly replies: readonly ProcessingResponse[];
}

/** The edge of one worker as `serve` composes it, without gRPC: every check is on, and Redis is real. */
export interface SweepEdge {
  sweep(exchange: SweptExchange): Promise<Swept>;
  close(): Promise<void>;
}

/** @param maskedBy the service that masks findings in requests and answers: DLP, or mask rules of a policy card */
export async function createSweepEdge(
  redisAddr: string,
  maskedBy: 'dlp' | 'policies' = 'dlp',
): Promise<SweepEdge> {
  const { services, failures, close } = await startEverythingOn(redisAddr, maskedBy);
  const turns = watchTurns();
  return {
    async sweep(exchange) {
      const messages = messagesOf(exchange);
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
      turns.longestMs();
      const answered = await served({ ...services, authenticate: identityFor(exchange) }, messages);
      await new Promise((resolve) => setImmediate(resolve));
      const unexpected = failures.splice(0).at(-1);
      if (unexpected !== undefined) throw new Error('the edge failed', { cause: unexpected });
      return { ...answered, longestTurnMs: turns.longestMs() };
    },
    async close() {
      turns.stop();
      await close();
    },
  };
}

/** A new key for every exchange, so that none is judged by earlier ones. */
export function identityFor({ path, limits = {} }: SweptExchange): EdgeServices['authenticate'] {
  const keyHash = `sha256:${randomUUID()}`;
  const [, first] = path.split('/');
  const provider = (first === 'mcp' ? 'openai' : first) as ProviderName;
  const key = { keyHash, name: 'sweep', provider, tags: {}, createdAt: 0 };
  return () => Promise.resolve({ key, rawKeyHash: keyHash, budget: { limits }, facts: newFacts(NO_RISK) });
}
