import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { describe, expect, it } from 'vitest';
import { secretRules } from '../../../../src/detectors/secrets/secret-rules.ts';
import {
  MIN_INNER_CHARS,
  MIN_RUN_CHARS,
  MIN_VALUE_CHARS,
  NAME_REACH_CHARS,
  RUN_CHARACTER,
} from '../../../../src/detectors/secrets/candidate-runs.ts';
import type { SecretRule } from '../../../../src/detectors/secrets/rule.ts';

const parser = new RegExpParser();
const patternOf = ({ pattern }: SecretRule): AST.Pattern =>
  parser.parsePattern(pattern.source, 0, pattern.source.length, { unicode: false });

/** The search reads only long runs of characters, so every rule must match in one. */
describe('every rule', () => {
  it.each(secretRules.filter(({ anchor }) => anchor === 'head'))(
    '$id begins with a run long enough to be noticed, or with a keyword that contains a space',
    (rule) => {
      const isSpaced = rule.keywords.every((keyword) => keyword.includes(' '));
      expect(isSpaced || leadingRun(patternOf(rule).alternatives).chars >= MIN_RUN_CHARS).toBe(true);
    },
  );

  it.each(secretRules.filter(({ anchor }) => anchor === 'inner'))('$id is such a run', (rule) => {
    const { chars, isWhole } = leadingRun(patternOf(rule).alternatives);
    expect({ isLong: chars >= MIN_INNER_CHARS, isWhole }).toEqual({ isLong: true, isWhole: true });
  });

  it.each(secretRules.filter(({ anchor }) => anchor === 'name'))(
    '$id names such a run, from not too far before',
    (rule) => {
      const [{ elements = [] } = {}] = patternOf(rule).alternatives;
      const at = elements.findIndex(({ type }) => type === 'CapturingGroup');
      const value = elements.slice(at, at + 1);
      const { chars, isWhole } = runOf(value);
      expect({ isLong: chars >= MIN_VALUE_CHARS, isWhole }).toEqual({ isLong: true, isWhole: true });
      const name = Math.max(...rule.keywords.map((keyword) => keyword.length));
      expect(name + sum(elements.slice(0, at).map(longest))).toBeLessThanOrEqual(NAME_REACH_CHARS);
    },
  );

  it.each(secretRules)('$id reads at most its declared length', (rule) => {
    const chars = Math.max(...patternOf(rule).alternatives.map(({ elements }) => sum(elements.map(longest))));
    expect(Math.max(chars, rule.run?.maxChars ?? 0)).toBeLessThanOrEqual(rule.maxChars);
  });

  it.each(secretRules.filter(({ id }) => id !== 'discord_bot_token'))(
    '$id has keywords that its pattern holds just so, or that are in lower case',
    ({ anchor, pattern, keywords }) => {
      const source = pattern.source.replaceAll('\\', '');
      const isFit = (keyword: string): boolean =>
        anchor === 'head' ? source.includes(keyword) : keyword === keyword.toLowerCase();
      expect(keywords.filter((keyword) => !isFit(keyword))).toEqual([]);
    },
  );
});

/** Returns the minimum of run characters of an element, and whether it has no others. */
interface Run {
  readonly chars: number;
  readonly isWhole: boolean;
}

function leadingRun(alternatives: readonly AST.Alternative[]): Run {
  const runs = alternatives.map(({ elements }) => runOf(elements));
  return {
    chars: Math.min(...runs.map(({ chars }) => chars)),
    isWhole: runs.every(({ isWhole }) => isWhole),
  };
}

function runOf(elements: readonly AST.Element[]): Run {
  let chars = 0;
  for (const element of elements) {
    const run = runOfElement(element);
    chars += run.chars;
    if (!run.isWhole) return { chars, isWhole: false };
  }
  return { chars, isWhole: true };
}

function runOfElement(element: AST.Element): Run {
  switch (element.type) {
    case 'Assertion':
      return { chars: 0, isWhole: true };
    case 'Group':
    case 'CapturingGroup':
      return leadingRun(element.alternatives);
    case 'Quantifier': {
      const { chars, isWhole } = runOfElement(element.element);
      return { chars: isWhole ? chars * element.min : Math.min(chars, chars * element.min), isWhole };
    }
    default: {
      const isWhole = allOf(element).every((character) => RUN_CHARACTER.test(character));
      return { chars: isWhole ? 1 : 0, isWhole };
    }
  }
}

/** Returns the characters of a class or a character. */
function allOf({ raw }: AST.Element): string[] {
  const pattern = new RegExp(`^${raw}$`);
  return Array.from({ length: 0x3100 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    pattern.test(character),
  );
}

/** Returns the maximum of characters that an element matches or looks at. */
function longest(element: AST.Element): number {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return Math.max(...element.alternatives.map(({ elements }) => sum(elements.map(longest))));
    case 'Quantifier':
      return element.max * longest(element.element);
    case 'Assertion':
      return element.kind === 'lookahead'
        ? Math.max(...element.alternatives.map(({ elements }) => sum(elements.map(longest))))
        : 0;
    default:
      return 1;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
