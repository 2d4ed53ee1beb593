import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerText, TextDelta } from '../dialect.ts';
import type { FoundText } from './json-text.ts';

/**
 * Turns strings into separate texts, each on a channel named `under` plus its path. `under` ends in `/`, so ending it
 * ends them all.
 * @param marks properties added to each delta
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

/** Drops texts that cannot be edited: member names and numbers. */
export function editable<T extends FoundText>(found: readonly T[]): Omit<T, 'editable'>[] {
  return found.filter((text) => text.editable === undefined);
}

/**
 * Decides whether a stop reason ends a choice. Some servers put a reason on every chunk; once a stopped choice
 * continues, stop reasons no longer end anything.
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
