import { hashOf, KIND } from './hashes.ts';
import { NEIGHBOURS, type Outline } from './outline.ts';

/** Must change whenever a text yields different features, because weights fit only one version. */
export const FEATURES_VERSION = 3;

/** Number of earlier concepts paired with each concept. */
const PAIRED_CONCEPTS = 4;
/** Maximum distance of paired concepts, in words. */
const PAIRED_WORDS = 12;

/** Number of features of a word without a concept. */
const BASE_FEATURES = 9;
export const MAX_FEATURES = BASE_FEATURES + 2 * PAIRED_CONCEPTS;

/** Writes the hashed features of a word, alone and with preceding words and concepts. Returns their number. */
export function writeFeatures(outline: Outline, word: number, into: Int32Array): number {
  const { tokens, tokenOf, stems } = outline;
  const token = tokenOf[word] ?? 0;
  const id = tokens[token] ?? 0;
  const id1 = tokens[token - 1] ?? 0;
  const id2 = tokens[token - 2] ?? 0;
  const id3 = tokens[token - 3] ?? 0;
  const own = word + NEIGHBOURS;
  const stem = stems[own] ?? 0;
  into[0] = hashOf(KIND.word, id);
  into[1] = hashOf(KIND.pair, id1, id);
  into[2] = hashOf(KIND.skip, id2, id);
  into[3] = hashOf(KIND.skip, id3, id);
  into[4] = hashOf(KIND.triple, hashOf(KIND.pair, id2, id1), id);
  into[5] = hashOf(KIND.stem, stem);
  into[6] = hashOf(KIND.stems, stems[own - 1] ?? 0, stem);
  into[7] = hashOf(KIND.stemSkip, stems[own - 2] ?? 0, stem);
  into[8] = hashOf(KIND.stemSkip, stems[own - 3] ?? 0, stem);
  return (outline.concepts[word] ?? 0) === 0 ? BASE_FEATURES : writeConcepts(outline, word, into);
}

function writeConcepts(outline: Outline, word: number, into: Int32Array): number {
  const { concepts } = outline;
  const concept = concepts[word] ?? 0;
  let to = BASE_FEATURES;
  into[to++] = hashOf(KIND.concept, concept);
  let latest = 0;
  for (let other = word - 1, count = 0; other >= word - PAIRED_WORDS && count < PAIRED_CONCEPTS; other -= 1) {
    const earlier = concepts[other] ?? 0;
    if (earlier === 0) continue;
    into[to++] = hashOf(KIND.concepts, earlier, concept);
    if (count === 0) latest = earlier;
    else into[to++] = hashOf(KIND.triple, hashOf(KIND.concepts, earlier, latest), concept);
    count += 1;
  }
  return to;
}
