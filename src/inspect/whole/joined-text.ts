import { MASK } from '../../text/mask.ts';
import { mask } from '../../detectors/mask.ts';
import { Joined } from '../offset-map.ts';
import type { AnswerText } from '../../providers/dialect.ts';
import { ITEM_CHARS, LONG_STEP, type Work } from '../../turns.ts';
import type { ScanBatch } from '../scan/scan-batch.ts';
import type { Span } from '../../text/span.ts';

/** The findings in one of the texts, alone and together with its neighbours. */
export interface MemberFindings {
  readonly source: AnswerText;
  readonly spans: readonly Span[];
  /** The first span continues one from an earlier text. */
  readonly isContinued: boolean;
  /** The last span continues in a later text. */
  readonly goesOn: boolean;
}

/** Texts of an answer that clients may join. Each is also searched alone, since other clients do not. */
export interface JoinedText {
  readonly text: string;
  readonly texts: readonly AnswerText[];
  /** Called once, after the search and before the other methods. */
  find(): Work<void>;
  /** Returns the findings in order; overlapping ones are merged. */
  spans(): readonly Span[];
  /** Returns the findings by text, for texts with findings. */
  members(): ReadonlyMap<AnswerText, MemberFindings>;
}

/** Adds the texts to the batch. */
export function* joinedText(texts: readonly AnswerText[], batch: ScanBatch): Work<JoinedText> {
  const joined = new Joined<AnswerText>();
  for (const one of texts) {
    batch.addProse(one.text);
    joined.add(one, one.text);
    yield ITEM_CHARS;
  }
  const { text } = joined;
  batch.addProse(text);
  let spans: readonly Span[] = [];
  let found: ReadonlyMap<AnswerText, MemberFindings> = new Map();
  return {
    text,
    texts,
    *find() {
      const all = yield* allFindings(joined, batch);
      // Two sorted runs, which the sort merges.
      yield LONG_STEP;
      spans = yield* united(all.sort((a, b) => a.start - b.start));
      found = yield* byMember(joined, spans);
    },
    spans: () => spans,
    members: () => found,
  };
}

function* allFindings({ text, parts }: Joined<AnswerText>, batch: ScanBatch): Work<Span[]> {
  const all: Span[] = [];
  for (const span of batch.spansIn(text)) {
    all.push(span);
    yield ITEM_CHARS;
  }
  for (const { source, start: from } of parts) {
    for (const { start, end } of batch.spansIn(source.text)) {
      all.push({ start: from + start, end: from + end });
    }
    yield ITEM_CHARS;
  }
  return all;
}

function* united(inOrder: readonly Span[]): Work<readonly Span[]> {
  const spans: Span[] = [];
  for (const { start, end } of inOrder) {
    const last = spans.at(-1);
    if (last === undefined || start >= last.end) spans.push({ start, end });
    else if (end > last.end) spans[spans.length - 1] = { start: last.start, end };
    yield ITEM_CHARS;
  }
  return spans;
}

function* byMember(
  joined: Joined<AnswerText>,
  spans: readonly Span[],
): Work<ReadonlyMap<AnswerText, MemberFindings>> {
  const found = new Map<
    AnswerText,
    { source: AnswerText; spans: Span[]; isContinued: boolean; goesOn: boolean }
  >();
  for (const whole of spans) {
    for (const { source, start, end } of joined.partsWithin(whole)) {
      const known = found.get(source) ?? {
        source,
        spans: [],
        isContinued: whole.start < start,
        goesOn: false,
      };
      found.set(source, known);
      known.spans.push({ start: Math.max(0, whole.start - start), end: Math.min(end, whole.end) - start });
      known.goesOn = whole.end > end;
      yield ITEM_CHARS;
    }
    yield ITEM_CHARS;
  }
  return found;
}

/**
 * Returns a text with the findings that it shares with its neighbours masked; undefined if the search of the text alone
 * found the same. A finding is masked once, in the text where it begins. A text that would become empty is a mask, since
 * providers do not accept empty texts in the next turn.
 */
export function maskShared(member: MemberFindings, batch: ScanBatch): string | undefined {
  const { source, spans, isContinued, goesOn } = member;
  const masked = mask(source.text, spans);
  const isAlone = !isContinued && !goesOn;
  if (isAlone && masked === mask(source.text, batch.spansIn(source.text))) return undefined;
  const left = isContinued ? masked.slice(MASK.length) : masked;
  return left === '' ? MASK : left;
}
