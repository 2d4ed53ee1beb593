import type { PromptText, RequestFacts } from '../providers/provider.ts';

/** A text as whoever asks reads it; `index` is its place in `RequestFacts.texts`. */
export type TextOf = (found: PromptText, index: number) => string;

const asWritten: TextOf = ({ text }) => text;

/**
 * What the user said last: the last user message, with those right before it that nothing answered. Undefined
 * where there is none. A tool result is no user turn, not even where a dialect carries it in a user message;
 * neither are documents that are sent beside the conversation.
 */
export function lastUserTurn(request: RequestFacts, textOf = asWritten): string | undefined {
  const turns = userTurns(request, textOf);
  return turns[turns.length - 1]?.join('\n');
}

/**
 * Where dialects keep what is said, in the order of the conversation, which is not the document's order in
 * Cohere's v1 (`message` comes after `chat_history`) and in Responses (`prompt` holds a template's variables).
 */
const PLACES: readonly (readonly string[])[] = [
  ['prompt', 'inputText'],
  ['chat_history', 'messages', 'contents', 'input'],
  ['message'],
];
const PLACE_OF: ReadonlyMap<unknown, number> = new Map(
  PLACES.flatMap((names, place) => names.map((name): [string, number] => [name, place])),
);

/** What was read so far of one of the places. */
interface PlaceTurns {
  readonly turns: string[][];
  turn: string[] | undefined;
  /** Indexes of messages: the last one with any text, the user's last one, the last answer or tool result. */
  last: number;
  said: number;
  answered: number;
}

/**
 * The texts of each of the user's turns, oldest first. Messages in a row are one turn: agents send their surroundings
 * as a user message before the user's own.
 */
export function userTurns(request: RequestFacts, textOf = asWritten): string[][] {
  const readings = PLACES.map((): PlaceTurns => ({
    turns: [],
    turn: undefined,
    last: -1,
    said: -1,
    answered: -1,
  }));
  // Of very many texts a list of pairs would be made for nothing.
  let at = -1;
  for (const found of request.texts) {
    at += 1;
    const { role, kind, path } = found;
    const reading = readings[PLACE_OF.get(path[0]) ?? PLACES.length];
    if (reading === undefined) continue;
    const index = typeof path[1] === 'number' ? path[1] : 0;
    // A message without any text of its own stands between: a call without arguments.
    if (index > reading.last + 1) reading.answered = index - 1;
    if (role === 'assistant' || role === 'tool') reading.answered = index;
    else if (role === 'user' && kind === 'text' && !isName(found)) {
      if (reading.turn === undefined || (reading.answered >= reading.said && index > reading.said)) {
        reading.turns.push((reading.turn = []));
      }
      reading.turn.push(textOf(found, at));
      reading.said = index;
    }
    reading.last = index;
  }
  return readings.flatMap(({ turns }) => turns);
}

/** A participant's name stands beside every message of theirs. */
function isName({ path }: PromptText): boolean {
  return path.length === 3 && path[2] === 'name';
}
