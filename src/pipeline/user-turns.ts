import type { PromptText, RequestFacts } from '../providers/provider.ts';

/**
 * What the user said last: the last user message, with those right before it that nothing answered. Undefined
 * where there is none. A tool result is no user turn, not even where a dialect carries it in a user message;
 * neither are documents that are sent beside the conversation.
 */
export function lastUserTurn(request: RequestFacts): string | undefined {
  const turns = userTurns(request);
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

/**
 * The texts of each of the user's turns, oldest first. Messages in a row are one turn: agents send their surroundings
 * as a user message before the user's own.
 */
export function userTurns(request: RequestFacts): string[][] {
  const turns: string[][] = [];
  for (const names of PLACES) {
    let turn: string[] | undefined;
    // Indexes of messages: the last one with any text, the user's last one, the last answer or tool result.
    let last = -1;
    let said = -1;
    let answered = -1;
    for (const found of request.texts) {
      const { role, kind, path } = found;
      if (!names.includes(String(path[0]))) continue;
      const index = typeof path[1] === 'number' ? path[1] : 0;
      // A message without any text of its own stands between: a call without arguments.
      if (index > last + 1) answered = index - 1;
      if (role === 'assistant' || role === 'tool') answered = index;
      else if (role === 'user' && kind === 'text' && !isName(found)) {
        if (turn === undefined || (answered >= said && index > said)) turns.push((turn = []));
        turn.push(found.text);
        said = index;
      }
      last = index;
    }
  }
  return turns;
}

/** A participant's name stands beside every message of theirs. */
function isName({ path }: PromptText): boolean {
  return path.length === 3 && path[2] === 'name';
}
