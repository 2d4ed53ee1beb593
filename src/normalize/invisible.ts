import type { Span } from '../text/span.ts';
import { kindOf, kinds } from './characters.ts';
import { readHidden } from './hidden-bytes.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';
import { isWord } from './english-words.ts';

/** Matches characters outside common Latin and CJK text. */
const CANDIDATES =
  /[^\t\n\v\f\r\x20-\x7e\x85\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205f\u3000-\u3098\u309b-\u3163\u3400-\u9fff\uac00-\ud7ff]/;

const SOFT_HYPHEN = 0xad;
const KEYCAP = '\u20e3';
const RIGHT_TO_LEFT_OVERRIDE = '\u202e';

/**
 * Stage 2: removes invisible characters inside or around Latin words, decodes text in tags, selectors or bits, and
 * removes marks stacked on letters. Keeps joiners in other scripts and emoji, and direction marks next to right-to-left
 * letters.
 */
export function stripInvisible(text: string): StageResult {
  if (!CANDIDATES.test(text)) return unchanged(text);
  const edited = new EditedText(text);
  let hidden = 0;
  const isHyphenated = hasOrdinaryHyphens(text);
  for (let at = 0; at < text.length;) {
    const run = runAt(text, at);
    if (run === undefined) {
      at += markedEnd(text, at, edited);
      continue;
    }
    hidden += strip(text, run, edited, isHyphenated);
    at = run.end;
  }
  hidden += readOverrides(text, edited);
  return stageResult(edited, hidden > 0);
}

function runAt(text: string, start: number): Span | undefined {
  let end = start;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (unit >= 0x20 && unit < 0x7f) break;
    const codePoint = text.codePointAt(end) ?? 0;
    if (kindOf(codePoint) !== kinds.invisible) break;
    end += codePoint > 0xffff ? 2 : 1;
  }
  return end > start ? { start, end } : undefined;
}

/** Removes or decodes one run. Returns 1 if the run hid something. */
function strip(text: string, run: Span, edited: EditedText, isHyphenated: boolean): number {
  const content = text.slice(run.start, run.end);
  if (isSubdivisionFlag(text, run.start, content)) return 0;
  const shown = content.length > 1 ? readHidden(content) : undefined;
  if (shown !== undefined) {
    edited.replace(run.start, run.end, shown);
    return 1;
  }
  const left = neighbour(text, run.start, -1);
  const right = neighbour(text, run.end, 1);
  if (isProperUse(text, content, left, right, run)) return 0;
  edited.replace(run.start, run.end, '');
  if (isHyphenated && content.charCodeAt(0) === SOFT_HYPHEN && /^\xad+$/.test(content)) return 0;
  return isWithinWord(text, run, left, right) ? 1 : 0;
}

/** Recognizes the flag of a region, such as England: a black flag followed by tags. */
const isSubdivisionFlag = (text: string, start: number, content: string): boolean =>
  content.length > 7 &&
  text.slice(start - 2, start) === '\u{1f3f4}' &&
  /^(?:\udb40[\udc61-\udc7a\udc30-\udc39]){3,6}\udb40\udc7f\ufe0f?$/.test(content);

type Neighbour = 'none' | 'ascii' | 'digit' | 'latin' | 'styled' | 'foreign' | 'sign' | 'symbol';

function neighbour(text: string, at: number, direction: 1 | -1): Neighbour {
  const codePoint = direction === 1 ? text.codePointAt(at) : codePointBefore(text, at);
  if (codePoint === undefined) return 'none';
  const kind = kindOf(codePoint);
  if (kind === kinds.ascii) return 'ascii';
  if (kind === kinds.digit) return 'digit';
  if (kind === kinds.latin || kind === kinds.latinLookalike) return 'latin';
  if (kind === kinds.strict || kind === kinds.loose) return 'latin';
  if (kind === kinds.styled || kind === kinds.regional) return 'styled';
  if (kind !== kinds.other) return 'foreign';
  return codePoint < 0x2000 ? 'sign' : 'symbol';
}

function codePointBefore(text: string, at: number): number | undefined {
  if (at <= 0) return undefined;
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? text.codePointAt(at - 2) : low;
}

const JOINS_EMOJI = /^(?:\u200d|\ufe0e|\ufe0f)+$/;

function isSelector(content: string): boolean {
  const point = content.codePointAt(0) ?? 0;
  const isOne = content.length === (point > 0xffff ? 2 : 1);
  return isOne && ((point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe0100 && point <= 0xe01ef));
}

/** Recognizes proper use: in other scripts, in emoji, and at the very start. */
function isProperUse(text: string, content: string, left: Neighbour, right: Neighbour, run: Span): boolean {
  if (content === '\ufeff' && run.start === 0) return true;
  if (content === '\ufe0f' && text.charAt(run.end) === KEYCAP) return true;
  // The next round would read a remaining override again.
  if (content.includes(RIGHT_TO_LEFT_OVERRIDE)) return false;
  // Text in a wrong encoding may contain C1 controls.
  if (/^[\x80-\x9f]+$/.test(content)) return left !== 'ascii' || right !== 'ascii';
  if (isSelector(content)) return left === 'styled' || !isLatin(left);
  if (left === 'symbol' || right === 'symbol') return JOINS_EMOJI.test(content);
  return left === 'foreign' || right === 'foreign';
}

const isLatin = (neighbour: Neighbour): boolean =>
  neighbour === 'ascii' || neighbour === 'latin' || neighbour === 'digit' || neighbour === 'styled';

/**
 * Reports whether a run splits a Latin word or an escape, or is long enough to contain data. Excludes line-break
 * opportunities and marks at word edges.
 */
function isWithinWord(text: string, run: Span, left: Neighbour, right: Neighbour): boolean {
  if (run.end - run.start >= MIN_PAYLOAD_UNITS) return true;
  const before = text.charAt(run.start - 1);
  const after = text.charAt(run.end);
  if (isEscapePart(before, after)) return true;
  if (left === 'digit' || right === 'digit') return isDense(text, run);
  if (!isLatin(left) || !isLatin(right)) return isDense(text, run);
  const isHump = /[a-z0-9]/.test(before) && /[A-Z]/.test(after);
  return !isHump || isDense(text, run);
}

/** Runs of at least this length contain data, readable or not. */
const MIN_PAYLOAD_UNITS = 12;

/** Recognizes a position inside or right before an escape. */
const isEscapePart = (before: string, after: string): boolean =>
  (/[%&\\#]/.test(before) && /[A-Za-z0-9#]/.test(after)) ||
  (/[A-Za-z0-9;%]/.test(before) && /[%\\]/.test(after));

/** Reports whether a run is one of three invisible runs, one or two characters apart, which is rare in markup. */
function isDense(text: string, run: Span): boolean {
  const around =
    text.slice(Math.max(0, run.start - 8), run.start) + '\u2063' + text.slice(run.end, run.end + 8);
  let units = '';
  for (let at = 0; at < around.length;) {
    const codePoint = around.codePointAt(at) ?? 0;
    units += unitOf(codePoint);
    at += codePoint > 0xffff ? 2 : 1;
  }
  return /i[ls]{1,2}i[ls]{1,2}i/.test(units) && units.includes('l');
}

function unitOf(codePoint: number): 'i' | 'l' | 's' | 'o' {
  const kind = kindOf(codePoint);
  if (kind === kinds.invisible) return 'i';
  if (kind === kinds.ascii || kind === kinds.digit) return 'l';
  return codePoint >= 0x20 && codePoint < 0x7f ? 's' : 'o';
}

/** Reports whether all soft hyphens, or all but one, have two letters on each side, as in hyphenated words. */
function hasOrdinaryHyphens(text: string): boolean {
  let odd = 0;
  for (let at = text.indexOf('\xad'); at >= 0; at = text.indexOf('\xad', at + 1)) {
    if (!isBetweenLetters(text, at)) odd++;
    if (odd > 1) return false;
  }
  return true;
}

function isBetweenLetters(text: string, at: number): boolean {
  return [-2, -1, 1, 2].every((offset) => {
    const unit = text.charCodeAt(at + offset);
    return unit !== SOFT_HYPHEN && unit >= 0x41 && /\p{L}/u.test(text.charAt(at + offset));
  });
}

/** Removes overlays and stacked marks from an ASCII letter or digit. Returns the number of code units processed. */
function markedEnd(text: string, at: number, edited: EditedText): number {
  const unit = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  const isBase = unit < 0x80 && kindOf(unit) !== kinds.other;
  if (!isBase || !(next >= 0x300 && next < 0x20000)) return 1;
  let end = at + 1;
  let kept = true;
  while (end < text.length && isCombining(text.charCodeAt(end))) {
    if (isOverlay(text.charCodeAt(end))) kept = false;
    end++;
  }
  const count = end - at - 1;
  // Vietnamese vowels may have two marks.
  if (count > 0 && (!kept || count > 2)) edited.replace(at + 1, end, '');
  else if (count === 2 && !/^[aeiouy]$/i.test(text.charAt(at))) edited.replace(at + 1, end, '');
  return Math.max(1, end - at);
}

const isCombining = (unit: number): boolean =>
  (unit >= 0x300 && unit <= 0x36f && unit !== 0x34f) ||
  (unit >= 0x483 && unit <= 0x489) ||
  (unit >= 0x1ab0 && unit <= 0x1aff) ||
  (unit >= 0x1dc0 && unit <= 0x1dff) ||
  (unit >= 0x20d0 && unit <= 0x20ff);

/** Recognizes strokes across and rings around a letter. */
const isOverlay = (unit: number): boolean =>
  (unit >= 0x334 && unit <= 0x338) ||
  unit === 0x489 ||
  unit === 0x488 ||
  (unit >= 0x20d0 && unit <= 0x20eb && unit !== 0x20d7);

const MAX_OVERRIDES = 64;

/** Appends the text after each right-to-left override in display order, if it has an English word in this order. */
function readOverrides(text: string, edited: EditedText): number {
  let found = 0;
  let at = text.indexOf(RIGHT_TO_LEFT_OVERRIDE);
  while (at >= 0 && found < MAX_OVERRIDES) {
    const end = overrideEnd(text, at + 1);
    const shown = Array.from(text.slice(at + 1, end))
      .reverse()
      .join('');
    const words = shown.match(/[A-Za-z]{2,}/g) ?? [];
    if (words.some((word) => isWord(word))) {
      edited.append(at, end, `\n${shown}`);
      found++;
    }
    at = text.indexOf(RIGHT_TO_LEFT_OVERRIDE, end);
  }
  return found;
}

function overrideEnd(text: string, start: number): number {
  for (let at = start; at < text.length && at - start < 4000; at++) {
    if (/[\u202a-\u202e\n]/.test(text.charAt(at))) return at;
  }
  return Math.min(text.length, start + 4000);
}
