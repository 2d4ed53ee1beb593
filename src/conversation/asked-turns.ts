import type { RequestFacts } from '../providers/provider.ts';
import { withoutSurroundings } from '../text/surroundings.ts';
import { userTurns } from './user-turns.ts';

/** Characters in which surroundings are looked for; what comes after them is taken as it stands. */
const MAX_CHARS = 262_144;
/** What a part costs, however short: no agent puts its words into as many thousands of parts as that leaves room for. */
const PART_CHARS = 16;

/** What a person asked first in this request; undefined where there is no user's text. */
export function firstAskedTurn(request: RequestFacts): string | undefined {
  return askedIn(userTurns(request));
}

/** What a person asked last in this request; undefined where there is no user's text. */
export function lastAskedTurn(request: RequestFacts): string | undefined {
  return askedIn(userTurns(request).reverse());
}

/**
 * The first of these turns in which a person asks something, without what agents put around it (their surroundings,
 * rules, reminders); where none is left then, the first as it stands. What is left out here is inspected like every
 * other text: this only says what a session is about.
 */
function askedIn(turns: readonly (readonly string[])[]): string | undefined {
  let left = MAX_CHARS;
  function asked(part: string): string {
    left -= PART_CHARS + part.length;
    return left < 0 ? part : withoutSurroundings(part);
  }
  for (const parts of turns) {
    const turn = parts
      .map(asked)
      .filter((part) => part !== '')
      .join('\n');
    if (turn !== '') return turn;
  }
  return turns[0]?.join('\n');
}
