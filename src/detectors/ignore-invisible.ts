import { after, inTurns, ITEM_CHARS, runNow, type Awaitable, type Work } from '../turns.ts';
import type { FindAll, Detector, Finding, SearchedText, StreamDetector } from './finding.ts';
import { offsetIn, type TextView } from '../inspect/offset-map.ts';
import { mayHide, visibleViews } from './invisible-view.ts';
import { startOfCrossing } from './overlaps.ts';
import { unfinishedEscapeAt } from './json-escapes.ts';

/** Wraps a detector so that it also finds matches split by invisible characters. Spans include these characters. */
export function ignoringInvisible({ find, openFrom }: StreamDetector): StreamDetector {
  const findAll: Detector = (text) => {
    const found = find(text);
    if (!mayHide(text)) return found;
    const inViews = runNow(visibleViews(text)).map((view) => new InText(find(view.text), view));
    return runNow(findingsTogether([new InText(found), ...inViews]));
  };
  const openInViews = (text: string): number =>
    Math.min(
      openFrom(text),
      ...runNow(visibleViews(text, true)).map((view) => {
        const open = openFrom(view.text);
        return open < view.text.length ? offsetIn(view, open) : text.length;
      }),
    );
  return {
    find: findAll,
    openFrom(text) {
      if (!mayHide(text)) return openFrom(text);
      // A truncated escape at the end may prove to be invisible, so that the text before it continues.
      const escape = unfinishedEscapeAt(text);
      const open = openInViews(text);
      const least =
        escape === text.length ? open : Math.min(open, escape, openInViews(text.slice(0, escape)));
      return least === text.length ? least : startOfCrossing(findAll(text), least);
    },
  };
}

/** @param most limit for the findings in all texts together */
type FindUpTo = (texts: readonly string[], most: number) => Awaitable<readonly SearchedText[]>;

/** Like `ignoringInvisible`, for many texts of any length. */
export function findAllIgnoringInvisible(most: number, findUpTo: FindUpTo): FindAll {
  return (texts) =>
    after(inTurns(viewsOf(texts)), (views) => {
      if (views.texts.length === 0) return findUpTo(texts, most);
      // Views repeat the findings of their text.
      return after(findUpTo(texts.concat(views.texts), most * MAX_READINGS), (found) =>
        inTurns(readTogether(texts, views.owners, found)),
      );
    });
}

/** Readings of a text: as written, without invisible characters, and without them after decoding escapes. */
const MAX_READINGS = 3;
const UNSEARCHED: SearchedText = { findings: [], isWhole: false };

/** Longer texts are scanned in steps, without a prior `mayHide`. */
const SHORT_CHARS = 32_768;

/** Views without their offset maps, because hardly any view contains a finding. */
interface ViewTexts {
  readonly texts: readonly string[];
  /** Index of each view's text, in ascending order. */
  readonly owners: readonly number[];
}

function* viewsOf(texts: readonly string[]): Work<ViewTexts> {
  const read: string[] = [];
  const owners: number[] = [];
  for (const [index, text] of texts.entries()) {
    yield ITEM_CHARS;
    if (text.length <= SHORT_CHARS && !mayHide(text)) continue;
    for (const view of yield* visibleViews(text)) {
      read.push(view.text);
      owners.push(index);
    }
    yield VIEW_CHARS + Math.min(text.length, SHORT_CHARS);
  }
  return { texts: read, owners };
}

/** Cost of a view, in characters. */
const VIEW_CHARS = 128;

/** @param found results for the texts, then for their views */
function* readTogether(
  texts: readonly string[],
  owners: readonly number[],
  found: readonly SearchedText[],
): Work<readonly SearchedText[]> {
  const all: SearchedText[] = [];
  let next = 0;
  for (const [index, text] of texts.entries()) {
    const own = found[index] ?? UNSEARCHED;
    const inViews: SearchedText[] = [];
    for (; owners[next] === index; next += 1) inViews.push(found[texts.length + next] ?? UNSEARCHED);
    all.push(inViews.length === 0 ? own : yield* mergedViews(text, own, inViews));
    yield ITEM_CHARS;
  }
  return all;
}

function* mergedViews(text: string, own: SearchedText, inViews: readonly SearchedText[]): Work<SearchedText> {
  const isWhole = own.isWhole && inViews.every((view) => view.isWhole);
  if (inViews.every(({ findings }) => findings.length === 0)) return { findings: own.findings, isWhole };
  const views = yield* visibleViews(text);
  yield VIEW_CHARS + Math.min(text.length, SHORT_CHARS);
  const found = inViews.map(({ findings }, nth) => {
    const view = views[nth];
    if (view === undefined) throw new Error('a text has fewer views than before');
    return new InText(findings, view);
  });
  return { findings: yield* findingsTogether([new InText(own.findings), ...found]), isWhole };
}

const STEP_FINDINGS = 8192;

/** Merges overlapping findings. A merged finding is a secret if any of its parts is. */
function* findingsTogether(views: readonly InText[]): Work<readonly Finding[]> {
  const merged: Finding[] = [];
  let taken = 0;
  for (let finding = takeFirst(views); finding !== undefined; finding = takeFirst(views)) {
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

/** Iterates over a view's findings, with spans in the original text. */
class InText {
  next: Finding | undefined;
  readonly #findings: readonly Finding[];
  readonly #view: TextView | undefined;
  #taken = 0;

  constructor(findings: readonly Finding[], view?: TextView) {
    this.#findings = findings;
    this.#view = view;
    this.take();
  }

  take(): void {
    const finding = this.#findings[this.#taken++];
    this.next = finding && this.#view ? { ...finding, ...this.#view.toOriginal(finding) } : finding;
  }
}

/** Takes the first finding of all views, or the longest if several have the same start. */
function takeFirst(views: readonly InText[]): Finding | undefined {
  let first: InText | undefined;
  for (const view of views) if (view.next !== undefined && isBefore(view.next, first?.next)) first = view;
  const finding = first?.next;
  first?.take();
  return finding;
}

function isBefore(one: Finding, other: Finding | undefined): boolean {
  if (other === undefined) return true;
  return one.start < other.start || (one.start === other.start && one.end > other.end);
}
