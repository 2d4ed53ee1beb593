import { after, inTurns, ITEM_CHARS, runNow, type Awaitable, type Work } from '../turns.ts';
import type { FindAll, Detector, Finding, SearchedText, StreamDetector } from './finding.ts';
import { offsetIn, type TextView } from '../inspect/offset-map.ts';
import { mayHide, visibleViews } from './invisible-view.ts';
import { startOfCrossing } from './overlaps.ts';
import { unfinishedEscapeAt } from './json-escapes.ts';

/** Wraps a detector to also find matches split by invisible characters. Findings include these characters. */
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
      // An escape cut at the end may turn out to be invisible, and the text before it may continue.
      const cut = unfinishedEscapeAt(text);
      const open = openInViews(text);
      const least = cut === text.length ? open : Math.min(open, cut, openInViews(text.slice(0, cut)));
      return least === text.length ? least : startOfCrossing(findAll(text), least);
    },
  };
}

/** @param most limit of findings over all texts */
type FindUpTo = (texts: readonly string[], most: number) => Awaitable<readonly SearchedText[]>;

/** Applies `ignoringInvisible` to many texts of any length. */
export function findAllIgnoringInvisible(most: number, findUpTo: FindUpTo): FindAll {
  return (texts) =>
    after(inTurns(viewsOf(texts)), (views) => {
      if (views.texts.length === 0) return findUpTo(texts, most);
      // A view repeats the findings of its text.
      return after(findUpTo(texts.concat(views.texts), most * MAX_READINGS), (found) =>
        inTurns(readTogether(texts, views.owners, found)),
      );
    });
}

/** Readings of a text: as written, without invisible characters, and with decoded escapes. */
const MAX_READINGS = 3;
const UNSEARCHED: SearchedText = { findings: [], isWhole: false };

/** Longer texts are scanned in steps. */
const SHORT_CHARS = 32_768;

/** Views without their offset maps: hardly any view contains a finding. */
interface ViewTexts {
  readonly texts: readonly string[];
  /** For each view, the index of its text, ascending. */
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

/** Cost of a view, in characters read. */
const VIEW_CHARS = 128;

/** @param found results for the texts, followed by those for their views */
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

/** Joins overlapping findings into one, which is a secret if any of them is. */
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

/** The findings of a view in order, with spans of the text. */
class InText {
  /** The next finding, if any. */
  head: Finding | undefined;
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
    this.head = finding && this.#view ? { ...finding, ...this.#view.toOriginal(finding) } : finding;
  }
}

/** Takes the first finding of all views; of findings with the same start, the longest. */
function takeFirst(views: readonly InText[]): Finding | undefined {
  let first: InText | undefined;
  for (const view of views) if (view.head !== undefined && isBefore(view.head, first?.head)) first = view;
  const finding = first?.head;
  first?.take();
  return finding;
}

function isBefore(one: Finding, other: Finding | undefined): boolean {
  if (other === undefined) return true;
  return one.start < other.start || (one.start === other.start && one.end > other.end);
}
