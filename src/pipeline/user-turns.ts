import type { PromptText, RequestFacts } from '../providers/provider.ts';

/**
 * What the user said last: the text of the user messages that no answer and no tool result has followed by
 * another user message yet. Undefined where there is none. Tool results are no user turn, also where a dialect
 * carries them in a user message; neither are documents that are sent beside the conversation.
 */
export function lastUserTurn(request: RequestFacts): string | undefined {
  const turns = userTurns(request);
  return turns[turns.length - 1]?.join('\n');
}

/** What the user said first in this request, which carries as much of the conversation as the client sends. */
export function firstUserTurn(request: RequestFacts): string | undefined {
  return userTurns(request)[0]?.join('\n');
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

/** Messages in a row are one turn: agents send their surroundings as a user message before the user's own. */
function userTurns(request: RequestFacts): string[][] {
  const turns: string[][] = [];
  let turn: string[] | undefined;
  let message: string | undefined;
  for (const found of PLACES.flatMap((names) => textsAt(request.texts, names))) {
    const from = messageOf(found);
    if (found.role === 'assistant' || found.role === 'tool') {
      // Text beside a tool result in one message stays one turn with what that message says before it.
      if (from !== message) turn = undefined;
      continue;
    }
    if (found.role !== 'user' || found.kind !== 'text' || isName(found)) continue;
    if (turn === undefined) turns.push((turn = []));
    turn.push(found.text);
    message = from;
  }
  return turns;
}

function textsAt(texts: readonly PromptText[], names: readonly string[]): PromptText[] {
  return texts.filter(({ path }) => names.includes(String(path[0])));
}

/** `messages/5`, or the member itself where it is not a list of messages. */
function messageOf({ path }: PromptText): string {
  return typeof path[1] === 'number' ? `${String(path[0])}/${String(path[1])}` : String(path[0]);
}

/** A participant's name stands beside every message of theirs. */
function isName({ path }: PromptText): boolean {
  return path.length === 3 && path[2] === 'name';
}
