import { HEADER } from '../../../headers.ts';
import { PASS_EVENT } from '../../../pipeline/check.ts';
import type { RewrittenFrame, StreamAction, StreamRewriter, StreamTail } from '../../../pipeline/check.ts';
import type { StreamEvent } from '../../../providers/provider.ts';
import { assertMaskable } from '../masked-places.ts';
import type { Found } from '../scan-batch.ts';
import { restOf } from './stream-entry.ts';
import { StreamFindings } from './stream-findings.ts';
import type { FindingsJudge, StreamFindingsDeps } from './stream-findings.ts';
import { StreamQueue } from './stream-queue.ts';
import { StreamReading } from './stream-reading.ts';
import type { StreamSearch } from './stream-reading.ts';
import { inTurns, LONG_STEP } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';

export type DlpRewriterDeps = StreamFindingsDeps & StreamSearch;

/**
 * Masks a streamed answer, or cuts it, event by event. What cannot be part of a finding leaves at once and in order;
 * what may be goes with a later event of its channel. An event without findings leaves byte for byte, but for text
 * that moves to the next. One rewriter is for one stream; what it holds is bounded, and over that it throws.
 */
export function createDlpRewriter(deps: DlpRewriterDeps): StreamRewriter {
  return createMaskingRewriter(deps, new StreamFindings(deps));
}

/** The same, by whoever judges what is found. */
export function createMaskingRewriter(search: StreamSearch, findings: FindingsJudge): StreamRewriter {
  const stream = new MaskedStream(search, findings);
  return {
    event: (event) => inTurns(stream.event(event)),
    end: () => inTurns(stream.end()),
    comment: () => stream.comment,
  };
}

const MANY_FINDINGS = 10_000;
const NOTHING_BEFORE = { before: [], isHeld: false } as const;

class MaskedStream {
  readonly #reading: StreamReading;
  readonly #findings: FindingsJudge;
  readonly #queue = new StreamQueue(() => this.#findings.any);

  constructor(search: StreamSearch, findings: FindingsJudge) {
    this.#reading = new StreamReading(search);
    this.#findings = findings;
  }

  /** Says that something was masked: the headers had left before. */
  get comment(): string | undefined {
    return this.#findings.any ? `${HEADER.dlpRedacted}=true` : undefined;
  }

  *event(event: StreamEvent): Work<StreamAction> {
    const found: Found[] = [];
    const entry = yield* this.#reading.read(event, found);
    if (found.length > MANY_FINDINGS) yield LONG_STEP;
    const denial = this.#findings.judge(found);
    if (denial !== undefined) return { kind: 'cut', denial };
    assertMaskable({ count: found.length, isWhole: true }, 'answer');
    const reason = this.#findings.takeReason();
    // Each of these passes over all that was found is a turn of its own.
    if (found.length > MANY_FINDINGS) yield LONG_STEP;
    // What stands beside a payload is read alone, and has no place among the texts.
    const released =
      event.sideband === true ? { ...NOTHING_BEFORE, edits: entry.edits } : yield* this.#queue.add(entry);
    this.#reading.settle(event);
    if (found.length > MANY_FINDINGS) yield LONG_STEP;
    const { before, edits, isHeld } = released;
    if (before.length === 0 && edits.length === 0 && !isHeld && reason === undefined) return PASS_EVENT;
    return {
      kind: 'rewrite',
      ...(before.length > 0 && { before }),
      ...(edits.length > 0 && { edits }),
      ...(isHeld && { held: true }),
      ...(reason !== undefined && { reason }),
    };
  }

  *end(): Work<StreamTail | undefined> {
    const found: Found[] = [];
    const closed = yield* this.#reading.finishAll(found);
    const cut = this.#findings.judge(found);
    if (cut !== undefined) return { cut };
    const before: RewrittenFrame[] = [...(yield* this.#queue.releaseLast())];
    for (const { channel, to } of closed) before.push(...restOf(channel, to));
    const reason = this.#findings.takeReason();
    if (before.length === 0 && reason === undefined) return undefined;
    return {
      ...(before.length > 0 && { before }),
      ...(reason !== undefined && { reason }),
    };
  }
}
