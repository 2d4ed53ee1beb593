import { inTurns, runNow, type Work } from '../turns.ts';
import type { Detector, Finding, SearchedText, StreamDetector } from './finding.ts';
import { mayHide, openViewsOf, visibleViews, visibleViewsOf } from './invisible-view.ts';
import type { VisibleView } from './invisible-view.ts';
import { unfinishedEscapeAt } from './secret-views.ts';

/**
 * A detector that also finds what characters that print nothing part: a zero-width space in a key, a soft hyphen in a
 * card's number. A finding spans them. Texts without such characters cost one look for them.
 */
export function seeingThrough({ find, openFrom }: StreamDetector): StreamDetector {
  const findAll: Detector = (text) => {
    const found = find(text);
    if (!mayHide(text)) return found;
    const inViews = visibleViewsOf(text).map((view) => ({ findings: find(view.text), view }));
    return runNow(together([{ findings: found }, ...inViews]));
  };
  const openInViews = (text: string): number =>
    Math.min(
      openFrom(text),
      ...openViewsOf(text).map((view) => openInGiven(openFrom(view.text), view, text.length)),
    );
  return {
    find: findAll,
    openFrom(text) {
      if (!mayHide(text)) return openFrom(text);
      // An escape that the end cuts may turn out to print nothing: what stands before it goes on then.
      const cut = unfinishedEscapeAt(text);
      const open = openInViews(text);
      const least = cut === text.length ? open : Math.min(open, cut, openInViews(text.slice(0, cut)));
      return least === text.length ? least : before(findAll(text), least);
    },
  };
}

/** The offset, or where what reaches over it begins. */
function before(found: readonly Finding[], offset: number): number {
  let least = offset;
  for (let over = found; over.length > 0;) {
    over = found.filter(({ start, end }) => start < least && least < end);
    least = Math.min(least, ...over.map(({ start }) => start));
  }
  return least;
}

/** @param most findings in all texts together, after which it gives up */
type FindUpTo = (texts: readonly string[], most: number) => Promise<readonly SearchedText[]>;
type FindAll = (texts: readonly string[]) => Promise<readonly SearchedText[]>;

/** The same for texts that are searched together, however long. */
export function findAllSeeingThrough(most: number, findUpTo: FindUpTo): FindAll {
  return async (texts) => {
    const hiding = await inTurns(thoseThatMayHide(texts));
    if (hiding.size === 0) return findUpTo(texts, most);
    const viewsOf = new Map<number, readonly VisibleView[]>();
    for (const index of hiding) viewsOf.set(index, await inTurns(visibleViews(texts[index] ?? '')));
    const views = [...viewsOf.values()].flat();
    if (views.length === 0) return findUpTo(texts, most);
    // What is found again in a view is no more of it.
    const found = await findUpTo([...texts, ...views.map(({ text }) => text)], most * MAX_READINGS);
    const all: SearchedText[] = [];
    let next = texts.length;
    for (const [index, own] of found.slice(0, texts.length).entries()) {
      const ownViews = viewsOf.get(index) ?? [];
      const inViews = ownViews.map((view) => ({ view, ...(found[next++] ?? UNSEARCHED) }));
      all.push(inViews.length === 0 ? own : await merged([own, ...inViews]));
    }
    return all;
  };
}

/** A text as it stands, without what prints nothing, and with its escapes read. */
const MAX_READINGS = 3;
const UNSEARCHED: SearchedText = { findings: [], isWhole: false };

async function merged(readings: readonly (Reading & SearchedText)[]): Promise<SearchedText> {
  return { findings: await inTurns(together(readings)), isWhole: readings.every(({ isWhole }) => isWhole) };
}

/** A longer text is looked at in turns. */
const SHORT_CHARS = 32_768;

/** Texts that are looked at in one step: many may have a few characters each. */
const STEP_TEXTS = 1_024;

/** The places of those that are long, or in which something may be hidden. */
function* thoseThatMayHide(texts: readonly string[]): Work<ReadonlySet<number>> {
  const hiding = new Set<number>();
  for (const [index, text] of texts.entries()) {
    if (index % STEP_TEXTS === STEP_TEXTS - 1) yield;
    if (text.length > SHORT_CHARS || mayHide(text)) hiding.add(index);
  }
  return hiding;
}

function inGiven(finding: Finding, { toGiven, endToGiven }: VisibleView): Finding {
  return { ...finding, start: toGiven(finding.start), end: endToGiven(finding.end) };
}

/** Where nothing is open in a view, all that it was made of is decided. */
function openInGiven(open: number, { text, toGiven }: VisibleView, givenChars: number): number {
  return open < text.length ? toGiven(open) : givenChars;
}

/** What is found in a text, or in a view of it. */
interface Reading {
  readonly findings: readonly Finding[];
  readonly view?: VisibleView;
}

/** Findings after which others may get a turn. */
const STEP_FINDINGS = 8192;

/** Findings of several readings as one list, in order: those that overlap are one, a secret where one of them is. */
function* together(readings: readonly Reading[]): Work<readonly Finding[]> {
  const merged: Finding[] = [];
  let taken = 0;
  for (const finding of inOrder(readings)) {
    if (++taken % STEP_FINDINGS === 0) yield;
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) {
      merged.push(finding);
      continue;
    }
    const named = last.class !== 'secret' && finding.class === 'secret' ? finding : last;
    merged[merged.length - 1] = { ...named, start: last.start, end: Math.max(last.end, finding.end) };
  }
  return merged;
}

/** The findings of all readings, each of which has its own in order; of those that begin together the longest first. */
function* inOrder(readings: readonly Reading[]): Generator<Finding> {
  const heads = readings.map((reading) => {
    const rest = inText(reading);
    return { rest, next: rest.next() };
  });
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done !== true && (first === undefined || isBefore(head.next.value, first.next.value))) {
        first = head;
      }
    }
    if (first === undefined || first.next.done === true) return;
    yield first.next.value;
    first.next = first.rest.next();
  }
}

function* inText({ findings, view }: Reading): Generator<Finding, undefined> {
  for (const finding of findings) yield view === undefined ? finding : inGiven(finding, view);
}

function isBefore(one: Finding, other: Finding | undefined): boolean {
  if (other === undefined) return true;
  return one.start < other.start || (one.start === other.start && one.end > other.end);
}
