import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerText, TextDelta } from '../provider.ts';
import type { FoundText } from './json-text.ts';

/**
 * Strings that are each a text of its own, its channel named by its path. `under` ends in `/`: it ends all of them.
 * @param marks what else is said of each
 */
export function* wholeDeltas(
  found: readonly AnswerText[],
  under: string,
  marks?: Pick<TextDelta, 'repeats'>,
): Work<TextDelta[]> {
  const deltas: TextDelta[] = [];
  for (const { editable: isEditable, ...text } of found) {
    if (isEditable !== undefined) continue;
    deltas.push({ ...text, channel: under + text.path.join('.'), ...marks });
    yield ITEM_CHARS;
  }
  return deltas;
}

/** Without what no edit may replace: member names and numbers. */
export function editable<T extends FoundText>(found: readonly T[]): Omit<T, 'editable'>[] {
  return found.filter((text) => text.editable === undefined);
}

/**
 * What an answer ends, told by its reasons to stop: a choice, until one goes on after all. Some servers give every
 * chunk a reason, and there it ends nothing.
 */
export function createChoiceEnds(): (index: number, isStopped: boolean, hasText: boolean) => boolean {
  const stopped = new Set<number>();
  let isTold = true;
  return (index, isStopped, hasText) => {
    if (hasText && stopped.has(index)) isTold = false;
    if (isStopped) stopped.add(index);
    return isStopped && isTold;
  };
}
