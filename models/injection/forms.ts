import { normalize } from '../../src/normalize/normalize.ts';

/** A text as the gateway judges it: as it was written and, where that differs, without its disguises. */
export function formsOf(text: string): readonly string[] {
  const { text: normalized } = normalize(text);
  return normalized === text ? [text] : [text, normalized];
}
