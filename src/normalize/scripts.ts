import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';

/** Optional Arabic and Hebrew marks, such as vowel signs, and the Arabic tatweel. */
const MARKS = String.raw`[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0640]+`;
/** Arabic and Hebrew presentation forms. */
const SHAPES = String.raw`[\ufb1d-\ufdff\ufe70-\ufefc]+`;
/** Excludes styled digits, which confusables.ts replaces. */
const DIGITS = String.raw`(?:(?![\u{1d7ce}-\u{1d7ff}])\p{Nd})+`;
const HAN = String.raw`[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]`;
/** Chinese and Japanese are written without spaces. */
const SPACES = String.raw`(?<=${HAN})[ \t\u3000]{1,4}(?=${HAN})`;

const BEYOND_LATIN = /[\u0590-\uffff]/;
const CANDIDATES = new RegExp(`${MARKS}|(?<shapes>${SHAPES})|${SPACES}|(?<digits>(?=[^0-9])${DIGITS})`, 'gu');

/**
 * Converts other scripts to their plainest spelling: Arabic and Hebrew without marks and in basic letter forms, digits
 * as 0 to 9, Chinese and Japanese without spaces. Other spellings are common, and not evidence of obfuscation.
 */
export function readScripts(text: string): StageResult {
  if (!BEYOND_LATIN.test(text)) return unchanged(text);
  const edited = new EditedText(text);
  for (const { 0: run, index, groups } of text.matchAll(CANDIDATES)) {
    const plain = plainRun(run, groups);
    if (plain !== run) edited.replace(index, index + run.length, plain);
  }
  return stageResult(edited, false);
}

function plainRun(run: string, groups: Readonly<Record<string, string | undefined>> = {}): string {
  if (groups['digits'] !== undefined) return plainDigits(run);
  return groups['shapes'] === undefined ? '' : run.normalize('NFKC');
}

function plainDigits(run: string): string {
  let plain = '';
  for (const digit of run) plain += digitOf(digit.codePointAt(0) ?? 0);
  return plain;
}

const values = new Map<number, string>();
const DIGIT = /^\p{Nd}$/u;

/** In every script, the ten digits are consecutive and begin with zero. */
function digitOf(codePoint: number): string {
  const known = values.get(codePoint);
  if (known !== undefined) return known;
  let zero = codePoint;
  while (codePoint - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  const value = String(codePoint - zero);
  values.set(codePoint, value);
  return value;
}
