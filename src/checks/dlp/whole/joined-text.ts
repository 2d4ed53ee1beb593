import { mask } from '../../../detectors/mask.ts';
import type { AnswerText } from '../../../providers/provider.ts';
import { MASK } from '../actions.ts';
import type { Passages, TextSpan } from '../passages.ts';

interface Member extends TextSpan {
  readonly of: AnswerText;
}

/** What is found in one of the texts, by itself and together with its neighbours. */
export interface MemberFindings {
  readonly of: AnswerText;
  readonly spans: readonly TextSpan[];
  /** The first span goes on with one that begins in a text before. */
  readonly isContinued: boolean;
  /** The last span goes on in a text behind. */
  readonly goesOn: boolean;
}

/** Texts of an answer that its clients read as one. Each is read by itself as well, for a client may do so too. */
export interface JoinedText {
  readonly text: string;
  readonly texts: readonly AnswerText[];
  /** What is found in it, in order; what overlaps is one. Asked after the search. */
  spans(): readonly TextSpan[];
  /** The same, text by text; of those in which there is something. */
  members(): ReadonlyMap<AnswerText, MemberFindings>;
}

/** Adds the texts to what is to be searched. */
export function createJoinedText(texts: readonly AnswerText[], passages: Passages): JoinedText {
  const text = texts.map((one) => one.text).join('');
  passages.addProse(text);
  const members: Member[] = [];
  let from = 0;
  for (const of of texts) {
    passages.addProse(of.text);
    const end = from + of.text.length;
    members.push({ of, start: from, end });
    from = end;
  }
  let spans: readonly TextSpan[] | undefined;
  let found: ReadonlyMap<AnswerText, MemberFindings> | undefined;
  const joined: JoinedText = {
    text,
    texts,
    spans: () => (spans ??= united(allFindings(text, members, passages))),
    members: () => (found ??= new Map(byMember(members, joined.spans()).map((one) => [one.of, one]))),
  };
  return joined;
}

function allFindings(text: string, members: readonly Member[], passages: Passages): readonly TextSpan[] {
  const all: TextSpan[] = [...passages.spansIn(text)];
  for (const { of, start: from } of members) {
    for (const { start, end } of passages.spansIn(of.text)) {
      all.push({ start: from + start, end: from + end });
    }
  }
  return all;
}

function united(all: readonly TextSpan[]): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { start, end } of all.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    if (last === undefined || start >= last.end) spans.push({ start, end });
    else if (end > last.end) spans[spans.length - 1] = { start: last.start, end };
  }
  return spans;
}

function byMember(members: readonly Member[], all: readonly TextSpan[]): readonly MemberFindings[] {
  const found: MemberFindings[] = [];
  let next = 0;
  for (const { of, start: from, end: to } of members) {
    while ((all[next]?.end ?? Infinity) <= from) next += 1;
    const isContinued = (all[next]?.start ?? Infinity) < from;
    const spans: TextSpan[] = [];
    let goesOn = false;
    for (let span = all[next], at = next; span !== undefined && span.start < to; span = all[++at]) {
      spans.push({ start: Math.max(span.start, from) - from, end: Math.min(span.end, to) - from });
      goesOn = span.end > to;
    }
    if (spans.length > 0) found.push({ of, spans, isContinued, goesOn });
  }
  return found;
}

/**
 * What becomes of a text for what it is joined to; undefined where that adds nothing to what is found in it alone. One
 * mask stands for a finding, in the text where it begins. A text of which nothing would be left is masked too: providers
 * take no empty ones back with the next turn.
 */
export function maskShared(member: MemberFindings, passages: Passages): string | undefined {
  const { of, spans, isContinued, goesOn } = member;
  const masked = mask(of.text, spans);
  const isAlone = !isContinued && !goesOn;
  if (isAlone && masked === mask(of.text, passages.spansIn(of.text))) return undefined;
  const left = isContinued ? masked.slice(MASK.length) : masked;
  return left === '' ? MASK : left;
}
