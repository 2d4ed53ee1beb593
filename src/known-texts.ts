import { hash, randomBytes } from 'node:crypto';
import { COMMON_TEXTS } from './common-texts.ts';
import { RecentMap } from './recent-map.ts';
import { mapInTurns } from './turns.ts';

/** Shorter texts cost less to read than to look up. */
const MIN_CHARS = 256;
/** Of this process alone: whoever reads a digest from its memory cannot try what text it is of. */
const KEY = randomBytes(32).toString('hex');

/**
 * What a text that was read is known again by, without being kept; undefined where it is too short to be worth it. No two
 * texts have the same: halves of surrogate pairs, which UTF-8 makes one sign, are told apart too.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < MIN_CHARS) return undefined;
  return text.isWellFormed()
    ? hash('sha256', KEY + text, 'binary')
    : hash('sha256', Buffer.from(`units ${KEY}${text}`, 'utf16le'), 'binary');
}

/** Something that texts are gone through for. */
export type TextQuestion = number;

let questions = 0;

export function createQuestion(): TextQuestion {
  questions += 1;
  return questions;
}

/** What a text was gone through for in vain, and will be each time. */
export interface KnownText {
  hasNothing(question: TextQuestion): boolean;
  note(question: TextQuestion): void;
}

/** Of a gateway's traffic: the histories of some hundred agents. Some 130 bytes each, and 400 where no other is asked the same. */
const MAX_TEXTS = 32_768;
/** Of one text; those that nobody has asked since go first. */
const MAX_QUESTIONS = 32;

/** Some hundred are in use: one for each question that a text was asked after the same others. */
const MAX_LISTS = 4_096;

const known = new RecentMap<Known>(MAX_TEXTS);

/** What texts were gone through for in vain, the latest last. Nearly all are asked the same in one order, and share a list. */
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

/** What all lists grow from. */
let noQuestions = new QuestionList([]);
let listCount = 0;

/** Texts keep theirs; those that come share others. */
function forgetLists(): void {
  noQuestions = new QuestionList([]);
  listCount = 0;
}

class Known implements KnownText {
  readonly #digest: string | undefined;
  #nothingFor = noQuestions;

  /** @param digest undefined for what is known anyway */
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

/** Words that every request is made of are too short to be digested, and are known by themselves. */
const common = new Map([...COMMON_TEXTS].map((text) => [text, new Known(undefined)]));

/**
 * Texts that are judged now: each is digested once, whoever asks. They are held for a moment that is longer than a
 * request takes to be judged, and no longer.
 */
const judged = new Map<string, Known>();
const JUDGED_MS = 100;
const MAX_JUDGED_CHARS = 4 * 1_048_576;
let judgedChars = 0;

/**
 * What is known of a text, by its digest; undefined where it is too short to be worth it, or so long that a digest would
 * fill a turn. Agents send their history again
 * with every turn, and every check asks: a text costs one digest. The text itself is not kept.
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

function forgetJudged(): void {
  judged.clear();
  judgedChars = 0;
}

/** To go over more of them, whatever is in them, takes milliseconds. */
const MANY_TEXTS = 4_096;

export interface TextReading<Result> {
  /** Gives other requests a turn; the n-th result is the n-th text's. */
  readonly read: (texts: readonly string[]) => Promise<readonly Result[]>;
  /** There was nothing to do in it, and never will be. */
  readonly isClean: (result: Result, text: string) => boolean;
  /** The result of a clean text. */
  readonly clean: (text: string) => Result;
  /** Shared with whoever asks the same; one of its own unless told. */
  readonly question?: TextQuestion;
  /** Others have gone through the text for all that this reading would. */
  readonly isRead?: (text: KnownText) => boolean;
  /** Told of a text that was read, and in which there was nothing. */
  readonly onClean?: (text: string, known: KnownText) => void;
}

/** Reads no text twice in which there was nothing to do. */
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
