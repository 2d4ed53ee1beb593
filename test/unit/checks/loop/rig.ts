import { createLoopCheck } from '../../../../src/checks/loop/check.ts';
import { createMemoryLoopStore } from '../../../../src/checks/loop/memory-store.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { HEADER } from '../../../../src/headers.ts';
import type { Outcome, Parsed } from '../../../../src/pipeline/exchange.ts';
import { SessionRead } from '../../../../src/pipeline/read-ahead.ts';
import { answered } from '../../../support/exchange.ts';
import { respond, settled } from '../../../support/respond.ts';
import type { LoopConfig } from '../../../support/transcripts/replay.ts';

export interface JudgeOptions {
  /** 0: the call was not forwarded. */
  readonly status?: number;
  readonly afterMs?: number;
}

/** A client of one session, a quarter of a second between its calls unless set. */
export function loopRig(config: LoopConfig = {}) {
  const clock = { now: 1_000_000 };
  const check = createLoopCheck({
    config: configSchema.parse({ loop_detection: config }).loop_detection,
    store: createMemoryLoopStore(() => clock.now),
    shadowMode: false,
  });
  /** `pass`, or the detector in the header, with `!` if the call is denied. */
  async function judge(exchange: Parsed, options: JudgeOptions = {}): Promise<string> {
    const { status = 200, afterMs = 250 } = options;
    clock.now += afterMs;
    const state = check.begin?.() ?? { operationId: '', counted: [], stored: new SessionRead() };
    check.prepare?.(exchange, state);
    const verdict = await settled(check.requestBody?.(exchange, state));
    const isDenied = verdict?.kind === 'deny';
    const isForwarded = !isDenied && status !== 0;
    if (isForwarded) await respond(check, answered(exchange, { status }), state);
    const outcome: Outcome = { kind: isForwarded ? 'complete' : 'not_forwarded' };
    await check.end?.(exchange, outcome, state);
    if (verdict === undefined || verdict.kind === 'pass') return 'pass';
    return `${exchange.responseHeaders.get(HEADER.loopDetected) ?? ''}${isDenied ? '!' : ''}`;
  }
  return { check, judge };
}
