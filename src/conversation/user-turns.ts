import type { PromptText, RequestFacts } from '../providers/request-facts.ts';
import { type Replacement, replaceSpans } from '../text/replace-spans.ts';

/** Returns a text in the form that the caller needs. `index` is its position in `RequestFacts.texts`. */
export type TextOf = (found: PromptText, index: number) => string;

const asWritten: TextOf = ({ text }) => text;

/**
 * Returns the last user message, with any unanswered ones directly before it. Tool results do not count, even if the
 * dialect sends them as user messages, nor do documents outside the messages.
 */
export function lastUserTurn(request: RequestFacts, textOf = asWritten): string | undefined {
  const turns = userTurns(request, textOf);
  return turns[turns.length - 1]?.join('\n');
}

/**
 * Members that contain the conversation, in its order, which may differ from the document's: Cohere v1's `message`
 * follows `chat_history`. In the Responses API, `prompt` contains template variables.
 */
const PLACES: readonly (readonly string[])[] = [
  ['prompt', 'inputText'],
  ['chat_history', 'messages', 'contents', 'input'],
  ['message'],
];
const PLACE_OF: ReadonlyMap<unknown, number> = new Map(
  PLACES.flatMap((names, place) => names.map((name): [string, number] => [name, place])),
);

interface PlaceTurns {
  readonly turns: string[][];
  turn: string[] | undefined;
  last: number;
  lastUser: number;
  lastAnswer: number;
}

/** Returns each user turn's texts, oldest first. Agents send context as a separate message before the user's own. */
function userTurns(request: RequestFacts, textOf = asWritten): string[][] {
  const readings = PLACES.map((): PlaceTurns => ({
    turns: [],
    turn: undefined,
    last: -1,
    lastUser: -1,
    lastAnswer: -1,
  }));
  // Avoids `entries()`, which is slow for very many texts.
  let at = -1;
  for (const found of request.texts) {
    at += 1;
    const { role, kind, path } = found;
    const reading = readings[PLACE_OF.get(path[0]) ?? PLACES.length];
    if (reading === undefined) continue;
    const index = typeof path[1] === 'number' ? path[1] : 0;
    // A message without text, such as a call without arguments, also separates turns.
    if (index > reading.last + 1) reading.lastAnswer = index - 1;
    if (role === 'assistant' || role === 'tool') reading.lastAnswer = index;
    else if (role === 'user' && kind === 'text' && !isName(found)) {
      if (
        reading.turn === undefined ||
        (reading.lastAnswer >= reading.lastUser && index > reading.lastUser)
      ) {
        reading.turns.push((reading.turn = []));
      }
      reading.turn.push(textOf(found, at));
      reading.lastUser = index;
    }
    reading.last = index;
  }
  return readings.flatMap(({ turns }) => turns);
}

function isName({ path }: PromptText): boolean {
  return path.length === 3 && path[2] === 'name';
}

/** Maximum text length scanned for agent context, in UTF-16 code units. Further text is kept unchanged. */
const MAX_CHARS = 262_144;
const PART_CHARS = 16;

export function firstQuestion(request: RequestFacts): string | undefined {
  return questionIn(userTurns(request));
}

export function lastQuestion(request: RequestFacts): string | undefined {
  return questionIn(userTurns(request).reverse());
}

/**
 * Returns the first turn that is not only agent context (environment, rules, reminders), without that context, or
 * else the first turn unchanged. Only for session topics: checks still inspect the omitted text.
 */
function questionIn(turns: readonly (readonly string[])[]): string | undefined {
  let left = MAX_CHARS;
  function question(part: string): string {
    left -= PART_CHARS + part.length;
    return left < 0 ? part : withoutContext(part);
  }
  for (const parts of turns) {
    const turn = parts
      .map(question)
      .filter((part) => part !== '')
      .join('\n');
    if (turn !== '') return turn;
  }
  return turns[0]?.join('\n');
}

/**
 * Matches tags of elements that agents add to a user's text, such as `<system-reminder>…</system-reminder>` and
 * `<INSTRUCTIONS>…`. One-word names match only in capitals, because users write HTML and XML.
 */
const TAG = /<(\/?)((?=[A-Za-z0-9_-]*[-_])[A-Za-z][A-Za-z0-9_-]{2,63}|[A-Z]{4,32})(?: [^<>]{0,200})?>/g;

const OPENINGS = [
  /^This is (?:the )?[\w .-]{1,40}\. We are setting up the context for our chat\./,
  /^I have \*added these files to the chat\*/,
  /^I am not sharing any files that you can edit yet\.$/,
  /^Here are (?:some )?(?:summaries of some files|\*read-only\* files|READ ONLY files)/i,
  /^# (?:AGENTS|CLAUDE|GEMINI|QWEN)\.md instructions for [^\n]{1,4096}$/,
];

const MIN_OPENING_CHARS = 24;

function withoutContext(text: string): string {
  const rest = (text.includes('<') ? withoutElements(text) : text).trim();
  if (rest.length < MIN_OPENING_CHARS) return rest;
  return OPENINGS.some((opening) => opening.test(rest)) ? '' : rest;
}

/** Removes agent elements, including nested ones. Keeps unpaired tags and elements that overlap another one. */
function withoutElements(text: string): string {
  const opened = new Map<string, number>();
  const elements: Replacement[] = [];
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(TAG)) {
    const start = opened.get(name);
    if (slash === '') {
      if (start === undefined) opened.set(name, index);
      continue;
    }
    opened.delete(name);
    const last = elements.at(-1);
    const crosses = last !== undefined && start !== undefined && start > last.start && start < last.end;
    if (start !== undefined && !crosses) elements.push({ start, end: index + tag.length, text: '' });
  }
  return replaceSpans(text, elements);
}
