/**
 * Invisible characters, and characters that reorder adjacent ones or move the cursor of a terminal: control and format
 * characters, line separators, unassigned and private characters, fillers, selectors, the blank Braille pattern.
 */
const UNSEEN = String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
const ALL_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

export const LABEL_RULE = 'must have no control, bidirectional, zero-width or other invisible characters';

/** Reports whether a label has no such characters. Plain labels that look alike are equal. */
export function isPlainLabel(text: string): boolean {
  return !ANY_UNSEEN.test(text);
}

export function replaceUnseen(text: string, instead: (unseen: string) => string): string {
  return text.replace(ALL_UNSEEN, instead);
}

/** Reduces a name from a client to plain characters of bounded length, for messages and headers. */
export function printableName(name: string): string {
  return name.slice(0, 96).replace(/[^A-Za-z0-9._:/@-]/g, '?');
}
