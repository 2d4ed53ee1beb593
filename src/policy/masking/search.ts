import { detectAll, type TextForms } from '../../detectors/detect.ts';
import { createExpressionDetector } from '../../detectors/expression.ts';
import type { FindAll, Detector, Finding, SearchedText, StreamDetector } from '../../detectors/finding.ts';
import { ignoringInvisible } from '../../detectors/ignore-invisible.ts';
import { createLiteralDetector } from '../../detectors/literal.ts';
import { withoutOverlaps, holdingBack, asOneDetector } from '../../detectors/overlaps.ts';
import { findSecretsAll, secretsDetector } from '../../detectors/secrets/secrets.ts';
import { normalizeKnown } from '../../normalize/known.ts';
import {
  after,
  inTurns,
  isTurnOver,
  ITEM_CHARS,
  LONG_STEP,
  mapInTurns,
  nextTurn,
  runNow,
  type Awaitable,
  type Work,
} from '../../turns.ts';
import { streamDetectors } from '../named-detectors.ts';
import { createWordSearch, patternLabel, type LabelledPattern, type WordSearch } from './word-search.ts';

/** A search for several patterns. Findings are in order and do not overlap. */
export interface MaskSearch {
  /** For texts in chunks. Recognizes invisible characters, but no other obfuscation. */
  readonly stream: StreamDetector;
  readonly findAll: FindAll;
  /** For callers that normalize and slice texts themselves. Excludes secrets (`secretsBy`). */
  readonly detectors: readonly Detector[];
  readonly secretsBy: string | undefined;
}

/** @throws Error if a regular expression is invalid */
export function createMaskSearch(patterns: readonly LabelledPattern[]): MaskSearch {
  const secretsBy = patterns.find(
    ({ pattern }) => pattern.kind === 'detects' && pattern.detector === 'secrets',
  )?.rule;
  const literals = patterns.flatMap(literalOf);
  const exact = patterns.filter(isExact).flatMap(literalOf);
  const words = createWordSearch(patterns);
  const sliced = patterns.flatMap(slicedOf);
  const secrets = secretsBy === undefined ? [] : [labelled(secretsDetector, secretsBy)];
  const sliceDetectors = sliced.map(({ find }) => find);
  const isAllSliced = exact.length === 0 && words === undefined && secretsBy === undefined;
  return {
    stream: ignoringInvisible(asOneDetector([...secrets, ...literals, ...sliced])),
    detectors: [
      ...exact.map(({ find }) => find),
      ...(words === undefined ? [] : [(text: string) => runNow(words(text))]),
      ...sliceDetectors,
    ],
    secretsBy,
    findAll: (texts) =>
      after(searchedTexts(texts), (searched) =>
        after(sliceDetectors.length === 0 ? [] : detectAll(searched, sliceDetectors), (inSlices) =>
          after(isAllSliced ? [] : findEachWhole(searched, exact, words, secretsBy), (inWhole) =>
            inTurns(joinedTexts(texts.length, [inSlices, ...inWhole])),
          ),
        ),
      ),
  };
}

async function findEachWhole(
  searched: readonly TextForms[],
  exact: readonly StreamDetector[],
  words: WordSearch | undefined,
  secretsBy: string | undefined,
): Promise<readonly (readonly (readonly Finding[])[])[]> {
  const inWhole = await findExact(searched, exact);
  const disguised = words === undefined ? [] : await findWords(searched, words);
  const found = secretsBy === undefined ? [] : await findSecretsInWhole(searched, secretsBy);
  return [inWhole, disguised, found];
}

/** Selects literals that are not part of the joint search. */
function isExact({ pattern }: LabelledPattern): boolean {
  return pattern.kind === 'contains' && !pattern.ignoreCase;
}

function literalOf({ pattern, rule }: LabelledPattern): StreamDetector[] {
  if (pattern.kind !== 'contains') return [];
  return [createLiteralDetector(pattern.text, patternLabel(rule), pattern.ignoreCase)];
}

function slicedOf({ pattern, rule }: LabelledPattern): readonly StreamDetector[] {
  if (pattern.kind === 'contains') return [];
  if (pattern.kind === 'regex') {
    return [holdingBack(createExpressionDetector(pattern.source, patternLabel(rule)))];
  }
  return pattern.detector === 'secrets'
    ? []
    : streamDetectors(pattern.detector).map((each) => labelled(each, rule));
}

const NOTHING_FOUND: SearchedText = { findings: [], isWhole: true };

/** Sorting more findings than this gets a separate turn. */
const MANY_FINDINGS = 10_000;

function* joinedTexts(
  count: number,
  searches: readonly (readonly (readonly Finding[])[])[],
): Work<readonly SearchedText[]> {
  const results: SearchedText[] = [];
  for (let index = 0; index < count; index += 1) {
    // Most texts have no findings and need no allocation.
    yield ITEM_CHARS;
    if (!searches.some((found) => found[index]?.length)) {
      results.push(NOTHING_FOUND);
      continue;
    }
    const all = searches.flatMap((found) => found[index] ?? []);
    const isLong = all.length > MANY_FINDINGS;
    if (isLong) yield LONG_STEP;
    const inOrder = areApart(all) ? all : all.toSorted((a, b) => a.start - b.start || b.end - a.end);
    if (isLong) yield LONG_STEP;
    const findings = areApart(inOrder) ? inOrder : withoutOverlaps(inOrder);
    if (isLong) yield LONG_STEP;
    results.push({ findings, isWhole: true });
  }
  return results;
}

function areApart(findings: readonly Finding[]): boolean {
  let reached = 0;
  for (const { start, end } of findings) {
    if (start < reached) return false;
    reached = end;
  }
  return true;
}

function labelled({ find, openFrom }: StreamDetector, rule: string): StreamDetector {
  return {
    find(text) {
      const found = find(text);
      return found.length === 0 ? found : found.map((finding) => ({ ...finding, rule }));
    },
    openFrom,
  };
}

function searchedTexts(texts: readonly string[]): Awaitable<readonly TextForms[]> {
  return after(normalizeKnown(texts), (normalized) =>
    normalized.map((form, index) => ({ raw: texts[index] ?? '', normalized: form })),
  );
}

/** Searches whole texts, because literals may be longer than the slice overlap, and searching is as fast as reading. */
async function findExact(
  searched: readonly TextForms[],
  literals: readonly StreamDetector[],
): Promise<readonly (readonly Finding[])[]> {
  if (literals.length === 0) return [];
  const found: (readonly Finding[])[] = [];
  for (const { raw, normalized } of searched) {
    const findings: Finding[] = [];
    for (const { find } of literals) {
      if (isTurnOver(raw.length)) await nextTurn();
      const plain = find(raw);
      if (plain.length > MANY_FINDINGS) await nextTurn();
      for (const finding of plain) findings.push(finding);
      if (normalized.text === raw) continue;
      for (const finding of find(normalized.text)) findings.push(revealedFinding(finding, normalized));
    }
    found.push(findings);
  }
  return found;
}

async function findWords(
  searched: readonly TextForms[],
  words: WordSearch,
): Promise<readonly (readonly Finding[])[]> {
  const found: (readonly Finding[])[] = [];
  for (const { raw, normalized } of searched) {
    if (isTurnOver(ITEM_CHARS)) await nextTurn();
    const plain = await inTurns(words(raw));
    const revealed = normalized.text === raw ? [] : await inTurns(words(normalized.text));
    found.push(
      revealed.length === 0
        ? plain
        : plain.concat(revealed.map((finding) => revealedFinding(finding, normalized))),
    );
  }
  return found;
}

/** Searches whole texts, because a key may be longer than the slice overlap. */
async function findSecretsInWhole(
  searched: readonly TextForms[],
  rule: string,
): Promise<readonly (readonly Finding[])[]> {
  const plain = await findSecretsAll(searched.map(({ raw }) => raw));
  const isDisguised = searched.some(({ raw, normalized }) => normalized.text !== raw);
  const disguised = isDisguised
    ? await findSecretsAll(searched.map(({ raw, normalized: { text } }) => (text === raw ? '' : text)))
    : [];
  return mapInTurns(searched, ({ normalized }, index) => {
    const [inPlain, inDisguised] = [
      plain[index] ?? NOTHING_FOUND.findings,
      disguised[index] ?? NOTHING_FOUND.findings,
    ];
    if (inPlain.length + inDisguised.length === 0) return NOTHING_FOUND.findings;
    return [...inPlain, ...inDisguised.map((finding) => revealedFinding(finding, normalized))].map(
      (finding) => ({
        ...finding,
        rule,
      }),
    );
  });
}

function revealedFinding(finding: Finding, { toOriginal }: TextForms['normalized']): Finding {
  return { ...finding, ...toOriginal(finding) };
}
