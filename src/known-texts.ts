import { hash, randomBytes } from 'node:crypto';
import { COMMON_TEXTS } from './common-texts.ts';
import { RecentMap } from './recent-map.ts';
import { mapInTurns } from './turns.ts';

/** Shorter texts cost less to read than to look up. */
const MIN_CHARS = 256;
/** Known to this process only, so that a digest leaked from memory cannot be tested against guessed texts. */
const KEY = randomBytes(32).toString('hex');

/**
 * Returns the key of a text in the cache, which does not store the text; undefined if the text is too short
 * to be worth it. Distinct texts have distinct digests, also with lone surrogates, which UTF-8 would merge.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < MIN_CHARS) return undefined;
  return text.isWellFormed()
    ? hash('sha256', KEY + text, 'binary')
    : hash('sha256', Buffer.from(`units ${KEY}${text}`, 'utf16le'), 'binary');
}

/** Identifies one thing that texts are searched for. */
export type TextQuestion = number;

let questions = 0;

export function createQuestion(): TextQuestion {
  questions += 1;
  return questions;
}

/** The searches of a text that found nothing, and never will. */
export interface KnownText {
  hasNothing(question: TextQuestion): boolean;
  note(question: TextQuestion): void;
}

/**
 * Covers the histories of some hundred agents. About 130 bytes each, and 400 for a text whose questions no
 * other shares.
 */
const MAX_TEXTS = 32_768;
/** Limit per text; the questions asked longest ago are dropped first. */
const MAX_QUESTIONS = 32;

/** About a hundred are in use, one for each order in which questions are asked. */
const MAX_LISTS = 4_096;

const known = new RecentMap<Known>(MAX_TEXTS);

/**
 * Questions that found nothing, latest last. Nearly all texts get the same questions in the same order and
 * share a list.
 */
class QuestionList {
  readonly questions: readonly TextQuestion[];
  readonly #longer = new Map<TextQuestion, QuestionList>();

  constructor(questions: readonly TextQuestion[]) {
    this.questions = questions;
  }

  with(question: TextQuestion): QuestionList {
    const known = this.#longer.get(question);
    if (known !== undefined) return known;
    const longer = new QuestionList([...this.questions, question].slice(-MAX_QUESTIONS));
    this.#longer.set(question, longer);
    listCount += 1;
    if (listCount > MAX_LISTS) forgetLists();
    return longer;
  }
}

/** The root of all lists. */
let noQuestions = new QuestionList([]);
let listCount = 0;

/** Existing texts keep their lists; new ones share new lists. */
function forgetLists(): void {
  noQuestions = new QuestionList([]);
  listCount = 0;
}

class Known implements KnownText {
  readonly #digest: string | undefined;
  #nothingFor = noQuestions;

  /** @param digest undefined for common texts */
  constructor(digest: string | undefined) {
    this.#digest = digest;
  }

  hasNothing(question: TextQuestion): boolean {
    return this.#nothingFor.questions.includes(question);
  }

  note(question: TextQuestion): void {
    if (this.hasNothing(question)) return;
    if (this.#nothingFor.questions.length === 0 && this.#digest !== undefined) known.set(this.#digest, this);
    this.#nothingFor = this.#nothingFor.with(question);
  }
}

/** Words of every request are too short for a digest, so they are looked up directly. */
const common = new Map([...COMMON_TEXTS].map((text) => [text, new Known(undefined)]));

/**
 * Texts in use now, so that each is digested once for all callers. Held slightly longer than a request takes
 * to judge.
 */
let judged = new Map<string, Known>();
const JUDGED_MS = 20;
const MAX_JUDGED_CHARS = 4 * 1_048_576;
let judgedChars = 0;

/**
 * Returns the known results for a text, by its digest; undefined if the text is too short to be worth it, or
 * so long that a digest would fill a turn. Agents send their history with every turn and every check asks, so
 * a text costs one digest. The text itself is not kept.
 */
export function knownText(text: string): KnownText | undefined {
  const found = judged.get(text);
  if (found !== undefined) return found;
  if (text.length > MAX_JUDGED_CHARS) return undefined;
  const digest = textDigest(text);
  if (digest === undefined) return common.get(text);
  const one = known.get(digest) ?? new Known(digest);
  if (judgedChars + text.length > MAX_JUDGED_CHARS) forgetJudged();
  if (judged.size === 0) setTimeout(forgetJudged, JUDGED_MS).unref();
  judged.set(text, one);
  judgedChars += text.length;
  return one;
}

/** A cleared map would stay linked from its old table: once that has outlived a collection, so does every later text. */
function forgetJudged(): void {
  judged = new Map();
  judgedChars = 0;
}

/** Iterating over more texts than this takes milliseconds, whatever they contain. */
const MANY_TEXTS = 4_096;

export interface TextReading<Result> {
  /** Reads texts in turns of the event loop; the n-th result belongs to the n-th text. */
  readonly read: (texts: readonly string[]) => Promise<readonly Result[]>;
  /** Reports whether a result means that the text needs nothing, now and later. */
  readonly isClean: (result: Result, text: string) => boolean;
  /** The result of a clean text. */
  readonly clean: (text: string) => Result;
  /** Shared by readings that look for the same; by default a new one. */
  readonly question?: TextQuestion;
  /** Reports whether other readings already cover this one. */
  readonly isRead?: (text: KnownText) => boolean;
  /** Called for a text that was read and needs nothing. */
  readonly onClean?: (text: string, known: KnownText) => void;
}

/** Wraps a reading to skip texts that needed nothing before. */
export function rememberClean<Result>({
  read,
  isClean,
  clean,
  question = createQuestion(),
  isRead = () => false,
  onClean,
}: TextReading<Result>): TextReading<Result>['read'] {
  return async (texts) => {
    const isLong = texts.length > MANY_TEXTS;
    const knownTexts = isLong ? await mapInTurns(texts, knownText) : texts.map(knownText);
    const isKnown = knownTexts.map((one) => one !== undefined && (one.hasNothing(question) || isRead(one)));
    if (!isKnown.includes(false)) return texts.map(clean);
    const fresh = await read(texts.filter((_text, index) => isKnown[index] !== true));
    let next = 0;
    function resultOf(text: string, index: number): Result {
      if (isKnown[index] === true) return clean(text);
      const result = fresh[next++];
      if (result === undefined) throw new Error('a text was not read');
      const known = knownTexts[index];
      if (known !== undefined && isClean(result, text)) {
        known.note(question);
        onClean?.(text, known);
      }
      return result;
    }
    return isLong ? mapInTurns(texts, resultOf) : texts.map(resultOf);
  };
}
