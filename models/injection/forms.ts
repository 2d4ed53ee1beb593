import { normalize } from '../../src/normalize/normalize.ts';

/** Returns a text as the gateway judges it: as written and, if different, without its disguises. */
export function formsOf(text: string): readonly string[] {
  const { text: normalized } = normalize(text);
  return normalized === text ? [text] : [text, normalized];
}
