import { MASK } from '../../text/mask.ts';
import { mask } from '../../detectors/mask.ts';
import { Joined } from '../offset-map.ts';
import type { AnswerText } from '../../providers/provider.ts';
import { ITEM_CHARS, LONG_STEP, type Work } from '../../turns.ts';
import type { ScanBatch } from '../scan/scan-batch.ts';
import type { Span } from '../../text/span.ts';

/** What is found in one of the texts, by itself and together with its neighbours. */
export interface MemberFindings {
  readonly of: AnswerText;
  readonly spans: readonly Span[];
  /** The first span goes on with one that begins in a text before. */
  readonly isContinued: boolean;
  /** The last span goes on in a text behind. */
  readonly goesOn: boolean;
}

/** Texts of an answer that its clients read as one. Each is read by itself as well, for a client may do so too. */
export interface JoinedText {
  readonly text: string;
  readonly texts: readonly AnswerText[];
  /** Once, after the search and before the findings are asked for. */
  find(): Work<void>;
  /** What is found in it, in order; what overlaps is one. */
  spans(): readonly Span[];
  /** The same, text by text; of those in which there is something. */
  members(): ReadonlyMap<AnswerText, MemberFindings>;
}

/** Adds the texts to what is to be searched. */
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
      // Put in order by a sort that knows runs: these are two.
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
    { of: AnswerText; spans: Span[]; isContinued: boolean; goesOn: boolean }
  >();
  for (const whole of spans) {
    for (const { source: of, start, end } of joined.partsWithin(whole)) {
      const known = found.get(of) ?? { of, spans: [], isContinued: whole.start < start, goesOn: false };
      found.set(of, known);
      known.spans.push({ start: Math.max(0, whole.start - start), end: Math.min(end, whole.end) - start });
      known.goesOn = whole.end > end;
      yield ITEM_CHARS;
    }
    yield ITEM_CHARS;
  }
  return found;
}

/**
 * What becomes of a text for what it is joined to; undefined where that adds nothing to what is found in it alone. One
 * mask stands for a finding, in the text where it begins. A text of which nothing would be left is masked too: providers
 * take no empty ones back with the next turn.
 */
export function maskShared(member: MemberFindings, batch: ScanBatch): string | undefined {
  const { of, spans, isContinued, goesOn } = member;
  const masked = mask(of.text, spans);
  const isAlone = !isContinued && !goesOn;
  if (isAlone && masked === mask(of.text, batch.spansIn(of.text))) return undefined;
  const left = isContinued ? masked.slice(MASK.length) : masked;
  return left === '' ? MASK : left;
}
