import { lastUpTo } from '../../text/ascending.ts';
import { isTurnOver, ITEM_CHARS, nextTurn, type Work } from '../../turns.ts';
import { readHidden } from '../../normalize/hidden-bytes.ts';
import { spansOf, type Page, type PageText, type TextSpan } from './page.ts';

/** A text that its reader may make of a page, and where what is found in it stands. */
export interface Variant {
  readonly text: string;
  readonly spans: (start: number, end: number) => readonly TextSpan[];
}

/** Of a long text, so much of its ends is put together with its neighbours: no attack is longer, and hardly a secret. */
const EDGE_CHARS = 1_024;
/** Between the two ends of a long text. */
const GAP = '\n\n';

/** The end of a text, or all of it, in a variant. */
interface Edge {
  readonly pageText: PageText;
  /** UTF-16 units of the text. */
  readonly from: number;
  readonly length: number;
}

/**
 * The texts of a page one right after the other, as some clients join the texts of a result: what was split within a
 * word shows. Undefined where there are not two.
 */
export function* withoutGaps({ texts }: Page): Work<Variant | undefined> {
  if (texts.length < 2) return undefined;
  const parts: string[] = [];
  const edges: Edge[] = [];
  const starts: number[] = [];
  let length = 0;
  function add(edge: Edge): void {
    starts.push(length);
    edges.push(edge);
    parts.push(edge.pageText.text.slice(edge.from, edge.from + edge.length));
    length += edge.length;
  }
  for (const pageText of texts) {
    yield ITEM_CHARS;
    const { length: chars } = pageText.text;
    if (chars <= 2 * EDGE_CHARS) {
      add({ pageText, from: 0, length: chars });
      continue;
    }
    add({ pageText, from: 0, length: EDGE_CHARS });
    parts.push(GAP);
    length += GAP.length;
    add({ pageText, from: chars - EDGE_CHARS, length: EDGE_CHARS });
  }
  function inEdge(index: number, start: number, end: number): readonly TextSpan[] {
    const { pageText, from, length: chars } = edges[index] as Edge;
    const at = starts[index] ?? 0;
    const span = { pageText, start: from + Math.max(0, start - at), end: from + Math.min(chars, end - at) };
    return span.start < span.end ? [span] : [];
  }
  return {
    text: parts.join(''),
    spans: (start, end) => indexesFrom(starts, start, end).flatMap((index) => inEdge(index, start, end)),
  };
}

/** Matches that are looked at in one step. */
const STEP_MATCHES = 1_024;

/** Colours and the like (ECMA-48 control sequences). */
const TERMINAL_CODE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;

/**
 * A page as a terminal shows it, without colours: the end of a code reads as a letter of the word behind it. With
 * something in their place, for the code may part words or stand within one. Undefined where there are none.
 */
export async function withoutTerminalCodes(page: Page, inTheirPlace: string): Promise<Variant | undefined> {
  if (!page.text.includes('\u001b') && !page.text.includes('\u009b')) return undefined;
  let text = '';
  let texts: string[] = [];
  /** From the n-th start on, the page is so many units ahead of the variant. */
  const starts = [0];
  const ahead = [0];
  let length = 0;
  let from = 0;
  for (const { 0: code, index } of page.text.matchAll(TERMINAL_CODE)) {
    texts.push(page.text.slice(from, index), inTheirPlace);
    length += index - from + inTheirPlace.length;
    from = index + code.length;
    starts.push(length);
    ahead.push(from - length);
    if (texts.length < STEP_MATCHES) continue;
    text += texts.join('');
    texts = [];
    if (isTurnOver()) await nextTurn();
  }
  text += texts.join('') + page.text.slice(from);
  const onPage = (at: number): number => at + (ahead[lastUpTo(starts, at)] ?? 0);
  return {
    text,
    spans: (start, end) => spansOf(page, onPage(start), onPage(end - 1) + 1),
  };
}

/** Tags, variation selectors, and what else prints nothing: in UTF-16 units, for a class of them is searched faster. */
const UNSEEN = /(?:[\u200b-\u200f]|[\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]){1,4096}/g;

/**
 * What is written on a page in characters that print nothing, by itself: right behind a letter it would read as part of
 * another word. What is found takes the whole run along. Undefined where nothing is.
 */
export async function unseenOf(page: Page): Promise<Variant | undefined> {
  let text = '';
  const starts: number[] = [];
  const runStarts: number[] = [];
  const runEnds: number[] = [];
  let matches = 0;
  for (const { 0: run, index } of page.text.matchAll(UNSEEN)) {
    matches += run.length;
    if (matches >= STEP_MATCHES) {
      matches = 0;
      if (isTurnOver()) await nextTurn();
    }
    const shown = run.length > 1 ? readHidden(run) : undefined;
    if (shown === undefined) continue;
    starts.push(text.length);
    runStarts.push(index);
    runEnds.push(index + run.length);
    text += shown;
  }
  if (text === '') return undefined;
  return {
    text,
    spans: (start, end) =>
      indexesFrom(starts, start, end).flatMap((at) => spansOf(page, runStarts[at] ?? 0, runEnds[at] ?? 0)),
  };
}

/** Indexes of the parts, by their starts, that a span reaches. */
function indexesFrom(starts: readonly number[], start: number, end: number): number[] {
  const indexes: number[] = [];
  for (let at = Math.max(0, lastUpTo(starts, start)); at < starts.length && (starts[at] ?? 0) < end; at += 1)
    indexes.push(at);
  return indexes;
}
