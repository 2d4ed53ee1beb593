/**
 * Characters that print nothing, reorder their neighbours or move a terminal's cursor: control and format characters,
 * separators of lines, unassigned and private ones, fillers, joiners and selectors, the blank Braille pattern.
 */
const UNSEEN = String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
const ALL_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

export const LABEL_RULE = 'must have no control, bidirectional, zero-width or other unseen characters';

/** Whether a label reads the same on every terminal, so that two that look alike are alike. */
export function isPlainLabel(text: string): boolean {
  return !ANY_UNSEEN.test(text);
}

export function replaceUnseen(text: string, instead: (unseen: string) => string): string {
  return text.replace(ALL_UNSEEN, instead);
}
