import { OffsetMap, partsWithin } from '../../inspect/offset-map.ts';
import type { Span } from '../../text/span.ts';
import { isTurnOver, ITEM_CHARS, nextTurn, type Work } from '../../turns.ts';
import { readHidden } from '../../normalize/hidden-bytes.ts';
import { spansOf, type Page, type PageText, type TextSpan } from './page.ts';

/** A text that its reader may make of a page, with the texts that a span of it comes from. */
export interface Variant {
  readonly text: string;
  readonly spans: (span: Span) => readonly TextSpan[];
}

/** Of a long text, so much of its ends is put together with its neighbours: no attack is longer, and hardly a secret. */
const EDGE_CHARS = 1_024;
/** Between the two ends of a long text. */
const GAP = '\n\n';

/** The end of a text, or all of it, as a span of a variant. */
interface Edge extends Span {
  readonly pageText: PageText;
  /** UTF-16 units of the text. */
  readonly from: number;
}

/**
 * The texts of a page one right after the other, as some clients join the texts of a result: what was split within a
 * word shows. Undefined where there are not two.
 */
export function* withoutGaps({ texts }: Page): Work<Variant | undefined> {
  if (texts.length < 2) return undefined;
  const parts: string[] = [];
  const edges: Edge[] = [];
  let length = 0;
  function add(pageText: PageText, from: number, to: number): void {
    edges.push({ pageText, from, start: length, end: length + to - from });
    parts.push(pageText.text.slice(from, to));
    length += to - from;
  }
  for (const pageText of texts) {
    yield ITEM_CHARS;
    const { length: chars } = pageText.text;
    if (chars <= 2 * EDGE_CHARS) {
      add(pageText, 0, chars);
      continue;
    }
    add(pageText, 0, EDGE_CHARS);
    parts.push(GAP);
    length += GAP.length;
    add(pageText, chars - EDGE_CHARS, chars);
  }
  return {
    text: parts.join(''),
    spans: (span) =>
      partsWithin(edges, span).map(({ part: { pageText, from }, span: { start, end } }) => ({
        pageText,
        start: from + start,
        end: from + end,
      })),
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
  const map = new OffsetMap();
  let length = 0;
  let from = 0;
  for (const { 0: code, index } of page.text.matchAll(TERMINAL_CODE)) {
    texts.push(page.text.slice(from, index), inTheirPlace);
    const at = length + index - from;
    from = index + code.length;
    length = at + inTheirPlace.length;
    map.add(index, from, at, length);
    if (texts.length < STEP_MATCHES) continue;
    text += texts.join('');
    texts = [];
    if (isTurnOver()) await nextTurn();
  }
  text += texts.join('') + page.text.slice(from);
  return { text, spans: (span) => spansOf(page, map.toOriginal(span)) };
}

/** Tags, variation selectors, and what else prints nothing: in UTF-16 units, for a class of them is searched faster. */
const UNSEEN = /(?:[\u200b-\u200f]|[\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]){1,4096}/g;

/**
 * What is written on a page in characters that print nothing, by itself: right behind a letter it would read as part of
 * another word. What is found takes the whole run along. Undefined where nothing is.
 */
export async function unseenOf(page: Page): Promise<Variant | undefined> {
  let text = '';
  const runs: { start: number; end: number; run: Span }[] = [];
  let matches = 0;
  for (const { 0: run, index } of page.text.matchAll(UNSEEN)) {
    matches += run.length;
    if (matches >= STEP_MATCHES) {
      matches = 0;
      if (isTurnOver()) await nextTurn();
    }
    const shown = run.length > 1 ? readHidden(run) : undefined;
    if (shown === undefined) continue;
    const end = text.length + shown.length;
    runs.push({ start: text.length, end, run: { start: index, end: index + run.length } });
    text += shown;
  }
  if (text === '') return undefined;
  return { text, spans: (span) => partsWithin(runs, span).flatMap(({ part }) => spansOf(page, part.run)) };
}
