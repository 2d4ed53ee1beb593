import { eachName } from '../../../detectors/credentials/names.ts';

const MAX_CHARS = 48;
/** At most three words, each in one case but for a leading capital. A full stop inside of one may be a host's. */
const WORD = String.raw`(?:[A-Z][a-z]{1,15}|[a-z]{1,16}|I)[.,;:!?]{0,3}`;
const PLAIN_WORDS = new RegExp(String.raw`^\s{0,8}(?:${WORD}\s{1,8}){0,2}(?:${WORD})?\s{0,8}$`);
/** As far as the detector of credentials looks for a name before a value. */
const NAME_CHARS = 128;

/**
 * Whether the end of a text is a few ordinary words, and no value that a name before it makes a credential
 * (`password: correct`).
 */
export function endsInPlainWords(text: string, from: number): boolean {
  if (from < 0 || text.length - from > MAX_CHARS || !PLAIN_WORDS.test(text.slice(from))) return false;
  const near = text.slice(Math.max(0, from - NAME_CHARS));
  let isNamed = /key/i.test(near);
  eachName(near, () => {
    isNamed = true;
  });
  return !isNamed;
}
