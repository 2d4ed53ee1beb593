import { MASK } from '../../text/mask.ts';
import { mask } from '../../detectors/mask.ts';
import { Joined } from '../offset-map.ts';
import type { AnswerText } from '../../providers/dialect.ts';
import { ITEM_CHARS, LONG_STEP, type Work } from '../../turns.ts';
import type { ScanBatch } from '../scan/scan-batch.ts';
import type { Span } from '../../text/span.ts';

/** Findings in a text alone, and joined with its neighbours. */
export interface MemberFindings {
  readonly source: AnswerText;
  readonly spans: readonly Span[];
  /** Whether the first span began in an earlier text. */
  readonly isContinued: boolean;
  /** Whether the last span continues in a later text. */
  readonly continues: boolean;
}

/** Joins texts that clients may join, and adds them to the batch. Each is also searched alone, for other clients. */
export function* joinTexts(texts: readonly AnswerText[], batch: ScanBatch): Work<Joined<AnswerText>> {
  const joined = new Joined<AnswerText>();
  for (const text of texts) {
    batch.addProse(text.text);
    joined.add(text, text.text);
    yield ITEM_CHARS;
  }
  batch.addProse(joined.text);
  return joined;
}

/** Returns the findings of each text that has any. Must be called after the search. */
export function* findInJoined(joined: Joined<AnswerText>, batch: ScanBatch): Work<readonly MemberFindings[]> {
  const all = [...batch.spansIn(joined.text)];
  for (const { source, start: from } of joined.parts) {
    for (const { start, end } of batch.spansIn(source.text)) {
      all.push({ start: from + start, end: from + end });
    }
    yield ITEM_CHARS;
  }
  // Two sorted runs, which the sort merges.
  yield LONG_STEP;
  all.sort((a, b) => a.start - b.start);
  return yield* byMember(joined, yield* withoutOverlaps(all));
}

function* withoutOverlaps(inOrder: readonly Span[]): Work<readonly Span[]> {
  const spans: Span[] = [];
  for (const { start, end } of inOrder) {
    const last = spans.at(-1);
    if (last === undefined || start >= last.end) spans.push({ start, end });
    else if (end > last.end) spans[spans.length - 1] = { start: last.start, end };
    yield ITEM_CHARS;
  }
  return spans;
}

interface GrowingFindings extends MemberFindings {
  readonly spans: Span[];
  continues: boolean;
}

function* byMember(joined: Joined<AnswerText>, spans: readonly Span[]): Work<readonly MemberFindings[]> {
  const found = new Map<AnswerText, GrowingFindings>();
  for (const whole of spans) {
    for (const { source, start, end } of joined.partsWithin(whole)) {
      const member = found.get(source) ?? {
        source,
        spans: [],
        isContinued: whole.start < start,
        continues: false,
      };
      found.set(source, member);
      member.spans.push({ start: Math.max(0, whole.start - start), end: Math.min(end, whole.end) - start });
      member.continues = whole.end > end;
      yield ITEM_CHARS;
    }
    yield ITEM_CHARS;
  }
  return [...found.values()];
}

/**
 * Masks the findings that a text shares with its neighbours; returns undefined if searching the text alone found the
 * same. A finding is masked only once, where it begins. A text that would become empty is replaced by a mask: providers
 * reject empty texts in the next turn.
 */
export function maskShared(member: MemberFindings, batch: ScanBatch): string | undefined {
  const { source, spans, isContinued, continues } = member;
  const masked = mask(source.text, spans);
  const isAlone = !isContinued && !continues;
  if (isAlone && masked === mask(source.text, batch.spansIn(source.text))) return undefined;
  const left = isContinued ? masked.slice(MASK.length) : masked;
  return left === '' ? MASK : left;
}
