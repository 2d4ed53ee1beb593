/**
 * Takes off the commonest English endings (plural, -ed, -ing), so that a word in two forms shares most of its
 * n-grams. Lower-case words; words of other languages lose a letter at worst, in both texts alike.
 */
export function stem(word: string): string {
  if (!ENDINGS.has(word.charCodeAt(word.length - 1))) return word;
  const singular = withoutPlural(word);
  if (singular.length > 5 && singular.endsWith('ing')) return singular.slice(0, -3);
  if (singular.length > 4 && singular.endsWith('ed')) return singular.slice(0, -2);
  return singular;
}

/** What the endings end with. */
const ENDINGS = new Set([...'sgd'].map((letter) => letter.charCodeAt(0)));

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
