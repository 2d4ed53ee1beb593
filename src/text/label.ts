/**
 * Characters that are invisible, reorder text or move the terminal cursor: control, format, unassigned and private-use
 * characters, line separators, fillers, variation selectors and the blank Braille pattern.
 */
const UNSEEN = String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');
const ALL_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

export const LABEL_RULE = 'must not contain control, bidirectional, zero-width or other invisible characters';

export function isPlainLabel(text: string): boolean {
  return !ANY_UNSEEN.test(text);
}

export function replaceUnseen(text: string, instead: (unseen: string) => string): string {
  return text.replace(ALL_UNSEEN, instead);
}

/** Truncates a client-supplied name and replaces special characters, for use in messages and headers. */
export function printableName(name: string): string {
  return name.slice(0, 96).replace(/[^A-Za-z0-9._:/@-]/g, '?');
}
