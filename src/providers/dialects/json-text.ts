import { Walk } from '../../inspect/walk.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, runNow, type Work } from '../../turns.ts';
import type { AnswerText } from '../dialect.ts';

/** A string inside a JSON value, or with `editable: false` its member names and numbers. */
export interface FoundText {
  readonly text: string;
  readonly path: JsonPath;
  readonly editable?: false;
}

/**
 * Returns the strings inside a JSON value with their paths, and then its member names and numbers, which can also
 * contain words, as one uneditable text.
 */
export function textsIn(value: unknown, path: JsonPath): FoundText[] {
  return runNow(textsInSteps(value, path));
}

export function* textsInSteps(value: unknown, path: JsonPath): Work<FoundText[]> {
  const found: FoundText[] = [];
  yield* walk(value, path, (text, at, editable) => {
    found.push(editable ? { text, path: at } : { text, path: at, editable });
  });
  return found;
}

type OnText = (text: string, path: JsonPath, editable: boolean) => void;

const STEP_PARTS = 16;

function* walk(root: unknown, path: JsonPath, onText: OnText): Work<void> {
  if (typeof root === 'string') {
    if (root !== '') onText(root, path, true);
    return;
  }
  const rest = { words: typeof root === 'number' ? String(root) : '' };
  const values = new Walk(root, undefined, path);
  let parts = 0;
  for (let level = values.next(); level !== undefined; level = values.next()) {
    const { step, value } = values;
    if (typeof value === 'number' && Array.isArray(level.value)) {
      // Lists of token ids and vectors can hold hundreds of thousands of numbers.
      level.next = addNumbers(rest, level.value, level.next - 1);
      yield;
      continue;
    }
    if (typeof step === 'string') addOtherWord(rest, step);
    if (typeof value === 'number') addOtherWord(rest, String(value));
    else if (typeof value === 'string' && value !== '') onText(value, [...values.path], true);
    values.enter(undefined);
    parts += 1;
    if (parts % STEP_PARTS === 0) yield STEP_PARTS * ITEM_CHARS;
  }
  if (rest.words !== '') onText(rest.words, path, false);
}

/** Number of numbers joined per batch. Adding hundreds of thousands one by one takes three times as long. */
const MAX_JOINED = 1_024;

/** Adds the run of numbers that starts at `from`. Returns the index after it. */
function addNumbers(rest: { words: string }, list: readonly unknown[], from: number): number {
  const most = Math.min(list.length, from + MAX_JOINED);
  let to = from + 1;
  while (to < most && typeof list[to] === 'number') to += 1;
  addOtherWord(rest, to === from + 1 ? String(list[from]) : list.slice(from, to).join('\n'));
  return to;
}

function addOtherWord(rest: { words: string }, word: string): void {
  rest.words += rest.words === '' ? word : `\n${word}`;
}

export function* addAnswerTextsIn(
  into: AnswerText[],
  kind: AnswerText['kind'],
  value: unknown,
  path: JsonPath,
): Work<void> {
  yield* walk(value, path, (text, at, editable) => {
    into.push(editable ? { kind, text, path: at } : { kind, text, path: at, editable });
  });
}

export function* answerTextsIn(kind: AnswerText['kind'], value: unknown, path: JsonPath): Work<AnswerText[]> {
  const found: AnswerText[] = [];
  yield* addAnswerTextsIn(found, kind, value, path);
  return found;
}
