import { inTurns, ITEM_CHARS, runNow, type Work } from '../turns.ts';
import type { FindAll, Detector, Finding, SearchedText, StreamDetector } from './finding.ts';
import { mayHide, openViewsOf, visibleViews, visibleViewsOf, type VisibleView } from './invisible-view.ts';
import { startOfWhatReachesOver } from './overlaps.ts';
import { unfinishedEscapeAt } from './secrets/unescaped-view.ts';

/**
 * A detector that also finds what characters that print nothing part: a zero-width space in a key, a soft hyphen in a
 * card's number. A finding spans them. Texts without such characters cost one look for them.
 */
export function seeingThrough({ find, openFrom }: StreamDetector): StreamDetector {
  const findAll: Detector = (text) => {
    const found = find(text);
    if (!mayHide(text)) return found;
    const inViews = visibleViewsOf(text).map((view) => ({ findings: find(view.text), view }));
    return runNow(findingsTogether([{ findings: found }, ...inViews]));
  };
  const openInViews = (text: string): number =>
    Math.min(
      openFrom(text),
      ...openViewsOf(text).map((view) => openInOriginal(openFrom(view.text), view, text.length)),
    );
  return {
    find: findAll,
    openFrom(text) {
      if (!mayHide(text)) return openFrom(text);
      // An escape that the end cuts may turn out to print nothing: what stands before it goes on then.
      const cut = unfinishedEscapeAt(text);
      const open = openInViews(text);
      const least = cut === text.length ? open : Math.min(open, cut, openInViews(text.slice(0, cut)));
      return least === text.length ? least : startOfWhatReachesOver(findAll(text), least);
    },
  };
}

/** @param most findings in all texts together, after which it gives up */
type FindUpTo = (texts: readonly string[], most: number) => Promise<readonly SearchedText[]>;

/** The same for texts that are searched together, however long, and however many. */
export function findAllSeeingThrough(most: number, findUpTo: FindUpTo): FindAll {
  return async (texts) => {
    const views = await inTurns(viewsOf(texts));
    if (views.texts.length === 0) return findUpTo(texts, most);
    // What is found again in a view is no more of it.
    const found = await findUpTo(texts.concat(views.texts), most * MAX_READINGS);
    return inTurns(readTogether(texts, views.of, found));
  };
}

/** A text as it stands, without what prints nothing, and with its escapes read. */
const MAX_READINGS = 3;
const UNSEARCHED: SearchedText = { findings: [], isWhole: false };

/** A longer text is looked at in turns. */
const SHORT_CHARS = 32_768;

/** What the views of many texts read. Where it came from is not kept: hardly any of them holds a finding. */
interface ViewTexts {
  readonly texts: readonly string[];
  /** Of which text each of them is a view, ascending. */
  readonly of: readonly number[];
}

function* viewsOf(texts: readonly string[]): Work<ViewTexts> {
  const read: string[] = [];
  const of: number[] = [];
  for (const [index, text] of texts.entries()) {
    yield ITEM_CHARS;
    if (text.length <= SHORT_CHARS && !mayHide(text)) continue;
    for (const view of yield* visibleViews(text)) {
      read.push(view.text);
      of.push(index);
    }
    yield VIEW_CHARS + Math.min(text.length, SHORT_CHARS);
  }
  return { texts: read, of };
}

/** What it costs to begin a view, in characters that are read. */
const VIEW_CHARS = 128;

/** @param found in the texts, and behind them in their views */
function* readTogether(
  texts: readonly string[],
  of: readonly number[],
  found: readonly SearchedText[],
): Work<readonly SearchedText[]> {
  const all: SearchedText[] = [];
  let next = 0;
  for (const [index, text] of texts.entries()) {
    const own = found[index] ?? UNSEARCHED;
    const inViews: SearchedText[] = [];
    for (; of[next] === index; next += 1) inViews.push(found[texts.length + next] ?? UNSEARCHED);
    all.push(inViews.length === 0 ? own : yield* mergedViews(text, own, inViews));
    yield ITEM_CHARS;
  }
  return all;
}

function* mergedViews(text: string, own: SearchedText, inViews: readonly SearchedText[]): Work<SearchedText> {
  const isWhole = own.isWhole && inViews.every((one) => one.isWhole);
  if (inViews.every(({ findings }) => findings.length === 0)) return { findings: own.findings, isWhole };
  const views = yield* visibleViews(text);
  yield VIEW_CHARS + Math.min(text.length, SHORT_CHARS);
  const found = inViews.map(({ findings }, nth): ViewFindings => withView(findings, views[nth]));
  return { findings: yield* findingsTogether([{ findings: own.findings }, ...found]), isWhole };
}

function withView(findings: readonly Finding[], view: VisibleView | undefined): ViewFindings {
  if (view === undefined) throw new Error('a view of a text was not made again');
  return { findings, view };
}

function inOriginal(finding: Finding, { toOriginal, endToOriginal }: VisibleView): Finding {
  return { ...finding, start: toOriginal(finding.start), end: endToOriginal(finding.end) };
}

/** Where nothing is open in a view, all that it was made of is decided. */
function openInOriginal(open: number, { text, toOriginal }: VisibleView, givenChars: number): number {
  return open < text.length ? toOriginal(open) : givenChars;
}

/** What is found in a text, or in a view of it. */
interface ViewFindings {
  readonly findings: readonly Finding[];
  readonly view?: VisibleView;
}

/** Findings after which others may get a turn. */
const STEP_FINDINGS = 8192;

/** Findings of several views as one list, in order: those that overlap are one, a secret where one of them is. */
function* findingsTogether(views: readonly ViewFindings[]): Work<readonly Finding[]> {
  const merged: Finding[] = [];
  let taken = 0;
  for (const finding of mergedByPlace(views)) {
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

/** The findings of all views, each of which has its own in order; of those that begin together the longest first. */
function* mergedByPlace(views: readonly ViewFindings[]): Generator<Finding> {
  const heads = views.map((view) => {
    const rest = inText(view);
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

function* inText({ findings, view }: ViewFindings): Generator<Finding, undefined> {
  for (const finding of findings) yield view === undefined ? finding : inOriginal(finding, view);
}

function isBefore(one: Finding, other: Finding | undefined): boolean {
  if (other === undefined) return true;
  return one.start < other.start || (one.start === other.start && one.end > other.end);
}
