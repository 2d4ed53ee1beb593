import { Walk } from '../../inspect/walk.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, runNow, type Work } from '../../turns.ts';
import type { AnswerText } from '../dialect.ts';
import type { Media, PromptText, RequestFacts } from '../request-facts.ts';

/** A string inside a JSON value, or with `editable: false` its member names and numbers. */
export interface FoundText {
  readonly text: string;
  readonly path: JsonPath;
  readonly editable?: false;
}

/**
 * Returns the strings inside a JSON value with their paths, then its member names and numbers, which can carry words
 * too, as one uneditable text.
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

/** Numbers joined at once. Adding hundreds of thousands one by one takes three times as long. */
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

export interface Gathered {
  readonly texts: PromptText[];
  readonly media: Media[];
  unseenContent: boolean;
  /** See `RequestFacts.undecoded`. */
  undecoded: boolean;
  /** See `RequestFacts.encodedPrompt`. The first one found. */
  encodedPrompt?: JsonPath;
}

export function addEncodedPrompt(into: Gathered, path: JsonPath): void {
  into.unseenContent = true;
  into.encodedPrompt ??= path;
}

export function createGathered(): Gathered {
  return { texts: [], media: [], unseenContent: false, undecoded: false };
}

/**
 * Builds the facts of a request for one answer without tools or output.
 * @param models all that may serve the request, the requested one first
 */
export function gatheredFacts(into: Gathered, models: readonly string[]): RequestFacts {
  return {
    model: models[0],
    models,
    stream: false,
    texts: into.texts,
    media: into.media,
    tools: [],
    hostedTools: [],
    choices: 1,
    output: undefined,
    unseenContent: into.unseenContent,
    ...(into.undecoded && { undecoded: true }),
    ...(into.encodedPrompt !== undefined && { encodedPrompt: into.encodedPrompt }),
  };
}

export type TextRole = Pick<PromptText, 'role' | 'kind'>;

/** The usual roles of texts. */
export const ROLE = {
  userText: { role: 'user', kind: 'text' },
  systemText: { role: 'system', kind: 'text' },
  toolDefinition: { role: 'system', kind: 'tool_definition' },
  toolArguments: { role: 'assistant', kind: 'tool_arguments' },
  toolResult: { role: 'tool', kind: 'tool_result' },
} as const satisfies Readonly<Record<string, TextRole>>;

/** Adds a non-empty string; ignores everything else. */
export function addText(into: Gathered, place: TextRole, text: unknown, path: JsonPath): void {
  if (typeof text === 'string' && text !== '') {
    into.texts.push({ role: place.role, kind: place.kind, text, path });
  }
}

/** Adds text that is counted but not editable, such as signatures and encrypted blocks. */
export function addSealedText(into: Gathered, place: TextRole, text: unknown, path: JsonPath): void {
  if (typeof text === 'string' && text !== '') into.texts.push({ ...place, text, path, editable: false });
}

/** Adds a model's reasoning, marked as signed if a signature accompanies it. */
export function addThought(
  into: Gathered,
  role: TextRole['role'],
  { text, signature }: { readonly text: unknown; readonly signature: unknown },
  path: JsonPath,
): void {
  const isSigned = typeof signature === 'string' && signature !== '';
  if (typeof text !== 'string' || text === '') return;
  into.texts.push({ role, kind: 'reasoning', text, path, ...(isSigned && { signed: true }) });
}

export function addTextsIn(
  into: Pick<Gathered, 'texts'>,
  place: TextRole & Pick<PromptText, 'editable'>,
  value: unknown,
  path: JsonPath,
): void {
  const { role, kind } = place;
  const reading = walk(value, path, (text, at, isString) => {
    const editable = isString && place.editable !== false;
    into.texts.push(editable ? { role, kind, text, path: at } : { role, kind, text, path: at, editable });
  });
  runNow(reading);
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
