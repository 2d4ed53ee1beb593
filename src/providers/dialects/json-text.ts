import { Walk } from '../../inspect/walk.ts';
import type { JsonPath } from '../../json/path.ts';

/** A string in a JSON value, or its member names and numbers (`editable: false`). */
export interface FoundText {
  readonly text: string;
  readonly path: JsonPath;
  readonly editable?: false;
}

/** Returns the strings in a JSON value, and its member names and numbers as one uneditable text. */
export function textsIn(value: unknown, path: JsonPath): FoundText[] {
  if (typeof value === 'string') return value === '' ? [] : [{ text: value, path }];
  const found: FoundText[] = [];
  const walk = new TextWalk(value, path, (text, at, isEditable) => {
    found.push(isEditable ? { text, path: at } : { text, path: at, editable: false });
  });
  while (!walk.readOn());
  return found;
}

const STEP_PARTS = 16;

/** Same as `textsIn`, in steps, for all values except strings. */
export class TextWalk {
  readonly #path: JsonPath;
  readonly #onText: (text: string, path: JsonPath, isEditable: boolean) => void;
  readonly #walk: Walk<undefined>;
  /** Member names and numbers. */
  readonly #rest: { words: string };

  constructor(
    root: unknown,
    path: JsonPath,
    onText: (text: string, path: JsonPath, isEditable: boolean) => void,
  ) {
    this.#path = path;
    this.#onText = onText;
    this.#walk = new Walk(root, undefined, path);
    this.#rest = { words: typeof root === 'number' ? String(root) : '' };
  }

  /** Reads up to `STEP_PARTS` parts. Returns true at the end. */
  readOn(): boolean {
    const walk = this.#walk;
    const rest = this.#rest;
    for (let parts = 0; parts < STEP_PARTS; parts += 1) {
      const level = walk.next();
      if (level === undefined) {
        if (rest.words !== '') this.#onText(rest.words, this.#path, false);
        return true;
      }
      const { step, value } = walk;
      if (typeof value === 'number' && Array.isArray(level.value)) {
        // Arrays of token ids or vectors can contain hundreds of thousands of numbers.
        level.next = addNumbers(rest, level.value, level.next - 1);
        return false;
      }
      if (typeof step === 'string') addOtherWord(rest, step);
      if (typeof value === 'number') addOtherWord(rest, String(value));
      else if (typeof value === 'string' && value !== '') this.#onText(value, [...walk.path], true);
      walk.enter(undefined);
    }
    return false;
  }
}

/** Maximum number of numbers joined at once. Adding hundreds of thousands one by one takes three times as long. */
const MAX_JOINED = 1_024;

/** Adds up to `MAX_JOINED` consecutive numbers, starting at `from`. Returns the index after them. */
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
