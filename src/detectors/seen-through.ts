import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Detector, Finding, StreamDetector } from './finding.ts';
import { mayHide, visibleViews, visibleViewsOf } from './invisible-view.ts';
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
    return together([found, ...visibleViewsOf(text).map((view) => inGiven(find(view.text), view))]);
  };
  const openInViews = (text: string): number =>
    Math.min(
      openFrom(text),
      ...visibleViewsOf(text).map((view) => openInGiven(openFrom(view.text), view, text.length)),
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

type FindAll = (texts: readonly string[]) => Promise<readonly (readonly Finding[])[]>;

/** The same for texts that are searched together, however long. */
export function findAllSeeingThrough(findAll: FindAll): FindAll {
  return async (texts) => {
    if (texts.every(isShortAndPlain)) return findAll(texts);
    const viewsOf = await Promise.all(texts.map((text) => (isShortAndPlain(text) ? [] : viewsInTurns(text))));
    const views = viewsOf.flat();
    const found = await findAll([...texts, ...views.map(({ text }) => text)]);
    if (views.length === 0) return found;
    let next = texts.length;
    return texts.map((_, index) => {
      const own = found[index] ?? [];
      const inViews = (viewsOf[index] ?? []).map((view) => inGiven(found[next++] ?? [], view));
      return inViews.length === 0 ? own : together([own, ...inViews]);
    });
  };
}

/** A longer text is looked at in turns. */
const SHORT_CHARS = 32_768;

function isShortAndPlain(text: string): boolean {
  return text.length <= SHORT_CHARS && !mayHide(text);
}

async function viewsInTurns(text: string): Promise<readonly VisibleView[]> {
  const reading = visibleViews(text);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

function inGiven(findings: readonly Finding[], { toGiven, endToGiven }: VisibleView): readonly Finding[] {
  return findings.map((finding) => ({
    ...finding,
    start: toGiven(finding.start),
    end: endToGiven(finding.end),
  }));
}

/** Where nothing is open in a view, all that it was made of is decided. */
function openInGiven(open: number, { text, toGiven }: VisibleView, givenChars: number): number {
  return open < text.length ? toGiven(open) : givenChars;
}

/** Findings of several readings as one list, in order: those that overlap are one, a secret where one of them is. */
function together(readings: readonly (readonly Finding[])[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const finding of readings.flat().sort((a, b) => a.start - b.start || b.end - a.end)) {
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
