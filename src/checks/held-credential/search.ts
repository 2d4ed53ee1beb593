import { base64Within } from '../../detectors/known-values/known-values.ts';
import { createLiteralDetector } from '../../detectors/literal.ts';
import { findAllIgnoringInvisible, ignoringInvisible } from '../../detectors/ignore-invisible.ts';
import type { SearchedText, StreamDetector } from '../../detectors/finding.ts';
import { asOneDetector } from '../../detectors/overlaps.ts';
import { MAX_FINDINGS } from '../../inspect/inspected.ts';
import type { AnswerSearch } from '../../inspect/whole/mask-answer.ts';
import { inTurns, type Work } from '../../turns.ts';

const LABEL = { detector: 'secrets', class: 'secret', rule: 'held_credential' } as const;

/** Shorter values occur in ordinary texts by chance. */
const MIN_CHARS = 8;
/** Minimum length of parts of a composed credential, such as the access key and secret of AWS. */
const MIN_PART_CHARS = 16;

/** Searches answers for one credential: verbatim, in parts, and encoded as Base64, hex or percent escapes. */
export function createCredentialSearch(value: string): AnswerSearch {
  const values = [value, ...value.split(':').filter((part) => part.length >= MIN_PART_CHARS)];
  const written = new Set(values.flatMap((each) => (each.length < MIN_CHARS ? [] : formsOf(each))));
  const detectors = [...written].map((text) => createLiteralDetector(text, LABEL));
  const plain = asOneDetector(detectors);
  return {
    stream: ignoringInvisible(plain),
    findAll: findAllIgnoringInvisible(MAX_FINDINGS, (texts) => inTurns(findEach(texts, detectors, plain))),
  };
}

function* findEach(
  texts: readonly string[],
  detectors: readonly StreamDetector[],
  { find }: StreamDetector,
): Work<readonly SearchedText[]> {
  const all: SearchedText[] = [];
  for (const text of texts) {
    let isFound = false;
    for (const detector of detectors) {
      // Searching for one literal takes a tenth of the time of reading the text.
      yield text.length >> 3;
      isFound ||= detector.find(text).length > 0;
    }
    const findings = isFound ? find(text) : [];
    all.push({ findings, isWhole: findings.length <= MAX_FINDINGS });
  }
  return all;
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [value, encodeURIComponent(value), hex, hex.toUpperCase(), ...base64Within(bytes)];
}
