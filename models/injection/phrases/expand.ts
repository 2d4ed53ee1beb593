import type { Phrases } from './types.ts';

const SLOT = /\{([a-z_]+)\}/g;
const MAX_DEPTH = 6;
const ATTEMPTS_PER_SENTENCE = 12;
const TYPO_SHARE = 0.06;
const LOWER_CASE_SHARE = 0.1;
const UPPER_CASE_SHARE = 0.02;
const OPEN_END_SHARE = 0.15;

type Random = () => number;

/**
 * Returns up to `count` distinct sentences, the same ones for the same `random`. Every template is used before any is
 * used again, so that templates with many slots do not dominate.
 */
export function expand(
  phrases: Phrases,
  kind: 'attacks' | 'innocent',
  count: number,
  random: Random,
): string[] {
  const templates = shuffled(phrases[kind], random);
  const sentences = new Set<string>();
  for (let attempt = 0; sentences.size < count && attempt < count * ATTEMPTS_PER_SENTENCE; attempt += 1) {
    const template = templates[attempt % templates.length];
    if (template === undefined) break;
    sentences.add(roughen(fill(template, phrases.slots, random), random));
  }
  return [...sentences];
}

/** Replaces each slot by one of its options, which may have slots of their own. */
export function fill(template: string, slots: Phrases['slots'], random: Random, depth = 0): string {
  if (depth > MAX_DEPTH) throw new Error(`slots are nested too deeply: ${template}`);
  const filled = template.replace(SLOT, (_, name: string) => {
    const options = slots[name];
    if (options === undefined) throw new Error(`unknown slot {${name}} in: ${template}`);
    return fill(pick(options, random), slots, random, depth + 1);
  });
  return depth > 0
    ? filled
    : filled
        .replaceAll(/ {2,}/g, ' ')
        .replaceAll(/ ([,.!?])/g, '$1')
        .trim();
}

/** Returns a shuffled copy (Fisher-Yates). */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const moved = copy.splice(other, 1, ...copy.slice(last, last + 1));
    copy.splice(last, 1, ...moved);
  }
  return copy;
}

/** Writes a sentence as people type: sometimes without capitals or full stop, or with a typo. */
function roughen(sentence: string, random: Random): string {
  let rough = sentence;
  if (random() < OPEN_END_SHARE) rough = rough.replace(/[.。!！]$/u, '');
  const style = random();
  if (style < LOWER_CASE_SHARE) rough = rough.toLowerCase();
  else if (style < LOWER_CASE_SHARE + UPPER_CASE_SHARE) rough = rough.toUpperCase();
  return random() < TYPO_SHARE ? misspelt(rough, random) : rough;
}

/** Swaps, drops or doubles one letter of one longer word. */
function misspelt(sentence: string, random: Random): string {
  const words = sentence.split(' ');
  const longer = words.flatMap((word, index) => (/^\p{L}{5,}$/u.test(word) ? [index] : []));
  if (longer.length === 0) return sentence;
  const index = pick(longer, random);
  const letters = [...(words[index] ?? '')];
  const at = 1 + Math.floor(random() * (letters.length - 3));
  const [first = '', second = ''] = letters.slice(at, at + 2);
  words[index] = [...letters.slice(0, at), pick([second + first, second, first + first + second], random)]
    .concat(letters.slice(at + 2))
    .join('');
  return words.join(' ');
}

function pick<T>(options: readonly T[], random: Random): T {
  const option = options[Math.floor(random() * options.length)];
  if (option === undefined) throw new Error('a slot needs at least one option');
  return option;
}
