import type { PromptText, RequestFacts } from '../providers/request-facts.ts';

/** Returns a text in the form that the caller needs. `index` is its position in `RequestFacts.texts`. */
export type TextOf = (found: PromptText, index: number) => string;

const asWritten: TextOf = ({ text }) => text;

/**
 * Returns the last user turn, if any: the last user message, and unanswered ones directly before it. Tool results and
 * attached documents are not user turns, even if the dialect sends them as user messages.
 */
export function lastUserTurn(request: RequestFacts, textOf = asWritten): string | undefined {
  const turns = userTurns(request, textOf);
  return turns[turns.length - 1]?.join('\n');
}

/**
 * Members that contain the conversation, in its order. The order in the document may differ: Cohere v1's `message`
 * follows `chat_history`. `prompt` of Responses contains template variables.
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
  /** Index of the last message with text. */
  last: number;
  /** Index of the user's last message. */
  lastUser: number;
  /** Index of the last answer or tool result. */
  lastAnswer: number;
}

/**
 * Returns the texts of each user turn, oldest first. Consecutive user messages form one turn: agents send their context
 * as a user message before the user's own.
 */
export function userTurns(request: RequestFacts, textOf = asWritten): string[][] {
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

/** Reports whether the text is the name of a participant, which messages may carry. */
function isName({ path }: PromptText): boolean {
  return path.length === 3 && path[2] === 'name';
}
