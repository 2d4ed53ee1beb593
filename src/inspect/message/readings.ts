import { readHidden } from '../../normalize/hidden-bytes.ts';
import type { Span } from '../../text/span.ts';
import { isTurnOver, ITEM_CHARS, nextTurn } from '../../turns.ts';
import { Joined, OffsetMap } from '../offset-map.ts';
import type { MessageText, Page, TextSpan } from './texts.ts';

/** An alternative reading of a page. Maps spans of the reading to the texts. */
export interface Reading {
  readonly text: string;
  readonly spans: (span: Span) => readonly TextSpan[];
}

/** Characters at each end of a long text that are joined with neighbours; longer than attacks and most secrets. */
const EDGE_CHARS = 1_024;
const GAP = '\n\n';

/**
 * Joins texts without separators, as some clients do; of long texts, only both ends. Returns undefined for fewer than
 * two texts.
 */
export async function withoutGaps(texts: readonly MessageText[]): Promise<Reading | undefined> {
  if (texts.length < 2) return undefined;
  const joined = new Joined<MessageText>();
  for (const one of texts) {
    if (isTurnOver(ITEM_CHARS)) await nextTurn();
    const { text } = one;
    if (text.length <= 2 * EDGE_CHARS) {
      joined.add(one, text);
      continue;
    }
    joined.add(one, text.slice(0, EDGE_CHARS));
    joined.separate(GAP);
    joined.add(one, text.slice(-EDGE_CHARS), text.length - EDGE_CHARS);
  }
  return joined;
}

const STEP_MATCHES = 1_024;

/** Colours and other terminal codes (ECMA-48 control sequences). */
const TERMINAL_CODE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;

/**
 * Replaces terminal codes, whose letters would otherwise join the next word. Returns undefined if the page has no
 * character that begins one.
 * @param instead replaces each code, which may separate words or interrupt one
 */
export async function withoutTerminalCodes(page: Page, instead: string): Promise<Reading | undefined> {
  if (!page.text.includes('\u001b') && !page.text.includes('\u009b')) return undefined;
  let text = '';
  let texts: string[] = [];
  const map = new OffsetMap();
  let length = 0;
  let from = 0;
  for (const { 0: code, index } of page.text.matchAll(TERMINAL_CODE)) {
    texts.push(page.text.slice(from, index), instead);
    const at = length + index - from;
    from = index + code.length;
    length = at + instead.length;
    map.add(index, from, at, length);
    if (texts.length < STEP_MATCHES) continue;
    text += texts.join('');
    texts = [];
    if (isTurnOver()) await nextTurn();
  }
  text += texts.join('') + page.text.slice(from);
  return { text, spans: (span) => page.spans(map.toOriginal(span)) };
}

/** Tags, variation selectors and other invisible characters, as UTF-16 code units for fast matching. */
const INVISIBLE = /(?:[\u200b-\u200f]|[\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]){1,4096}/g;

/**
 * Returns text encoded in invisible characters as a separate reading, because next to a letter it would join a word. A
 * finding covers the whole invisible run. Returns undefined if there is no such text.
 */
export async function invisibleText(page: Page): Promise<Reading | undefined> {
  const shown = new Joined<Span>();
  let chars = 0;
  for (const { 0: run, index } of page.text.matchAll(INVISIBLE)) {
    chars += run.length;
    if (chars >= STEP_MATCHES) {
      chars = 0;
      if (isTurnOver()) await nextTurn();
    }
    const read = run.length > 1 ? readHidden(run) : undefined;
    if (read !== undefined) shown.add({ start: index, end: index + run.length }, read);
  }
  if (shown.text === '') return undefined;
  return {
    text: shown.text,
    spans: (span) => shown.partsWithin(span).flatMap(({ source }) => page.spans(source)),
  };
}
