import { createLoopCheck } from '../../../src/checks/loop/check.ts';
import { createMemoryLoopStore } from '../../../src/checks/loop/memory-store.ts';
import { createNormalizationCheck } from '../../../src/checks/normalization/check.ts';
import { configSchema, type ConfigInput } from '../../../src/config/schema.ts';
import { respond, settled } from '../respond.ts';
import { HEADER } from '../../../src/headers.ts';
import { normalizeAll } from '../../../src/normalize/normalize.ts';
import type { Parsed } from '../../../src/pipeline/exchange.ts';
import { SessionRead } from '../../../src/pipeline/read-ahead.ts';
import { answered, NEW_SESSION, parsed } from '../exchange.ts';
import type { Transcript, TranscriptCall } from './transcript.ts';

export type LoopConfig = NonNullable<ConfigInput['loop_detection']>;

const SESSION = 'transcript';

/**
 * The calls of a transcript that loop detection flags, by index from 0; each is normalized before, as in a
 * gateway, and answered with 200.
 */
export async function flaggedCalls(
  transcript: Transcript,
  loopDetection: LoopConfig = {},
): Promise<number[]> {
  const config = configSchema.parse({ loop_detection: loopDetection }).loop_detection;
  const clock = { now: 0 };
  const check = createLoopCheck({ config, store: createMemoryLoopStore(() => clock.now), shadowMode: false });
  const normalization = createNormalizationCheck({ normalizeAll });
  const flagged: number[] = [];
  for (const [index, call] of transcript.calls.entries()) {
    clock.now = call.atSeconds * 1_000;
    const exchange = toExchange(call);
    const state = check.begin?.() ?? { operationId: String(index), counted: [], stored: new SessionRead() };
    check.prepare?.(exchange, state);
    await normalization.requestBody?.(exchange, undefined);
    const verdict = await settled(check.requestBody?.(exchange, state));
    if (verdict?.kind === 'flag') flagged.push(index);
    await respond(check, answered(exchange), state);
    await check.end?.(exchange, { kind: 'complete' }, state);
  }
  return flagged;
}

export function toExchange({ provider, body }: TranscriptCall): Parsed {
  const path = provider === 'openai' ? '/v1/chat/completions' : '/v1/messages';
  const exchange = parsed({ provider, path, body, keyHash: 'sha256:transcript' });
  exchange.facts.session = { ...NEW_SESSION, id: SESSION };
  return { ...exchange, headers: new Map([[HEADER.sessionId, SESSION]]) };
}
