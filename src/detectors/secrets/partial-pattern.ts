import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { stickyEnd } from '../../text/sticky.ts';

const parser = new RegExpParser();
const partials = new WeakMap<RegExp, RegExp>();

/** Reports whether more text could change the match of a sticky pattern at `at`. */
export function isUndecidedAt(pattern: RegExp, text: string, at: number): boolean {
  let partial = partials.get(pattern);
  if (partial === undefined) {
    partial = new RegExp(partialOf(pattern.source), pattern.flags);
    partials.set(pattern, partial);
  }
  return stickyEnd(partial, text, at) !== undefined;
}

/**
 * Returns the source of a pattern that matches if the text ends before `source` is decided: `ab{2}c` becomes
 * `$|a(?:$|b{0,1}$|b{2}$)`. Does not support the flags `m` and `u`.
 * @throws Error for backreferences
 */
export function partialOf(source: string): string {
  const { alternatives } = parser.parsePattern(source, 0, source.length, { unicode: false });
  return eitherOf(alternatives.map(partialOfSequence)) ?? '(?!)';
}

/** Undefined if the text cannot end before the source is decided. */
type Source = string | undefined;

/** Matches text that ends within the first element or within the rest. */
function partialOfSequence({ elements }: AST.Alternative): Source {
  return elements.reduceRight<Source>((rest, element) => {
    const after = rest === undefined ? undefined : wholeOf(element) + rest;
    return eitherOf([partialOfElement(element), after]);
  }, undefined);
}

function partialOfElement(element: AST.Element): Source {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return '$';
    case 'Group':
    case 'CapturingGroup':
      return eitherOf(element.alternatives.map(partialOfSequence));
    case 'Quantifier':
      return partialOfQuantifier(element);
    case 'Assertion':
      return partialOfAssertion(element);
    default:
      throw new Error(`unsupported ${element.type} in a pattern: ${element.raw}`);
  }
}

function partialOfQuantifier({ element, max }: AST.Quantifier): Source {
  const last = max === 0 ? undefined : partialOfElement(element);
  if (last === undefined || max === 1) return last;
  return `${wholeOf(element)}{0,${Number.isFinite(max) ? String(max - 1) : ''}}${last}`;
}

/** The text before an assertion is known; the text after it may be missing. */
function partialOfAssertion(assertion: AST.Assertion): Source {
  if (assertion.kind === 'lookbehind' || assertion.kind === 'start') return undefined;
  if (assertion.kind !== 'lookahead') return '$';
  const inside = eitherOf(assertion.alternatives.map(partialOfSequence));
  return inside === undefined ? undefined : `(?=${inside})`;
}

/** Drops capturing groups, because a partial pattern repeats elements. */
function wholeOf(element: AST.Element): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup': {
      const alternatives = element.alternatives.map(({ elements }) => elements.map(wholeOf).join(''));
      return `(?:${alternatives.join('|')})`;
    }
    case 'Quantifier':
      return wholeOf(element.element) + element.raw.slice(element.element.raw.length);
    default:
      return element.raw;
  }
}

function eitherOf(sources: readonly Source[]): Source {
  const known = [...new Set(sources.filter((source) => source !== undefined))];
  return known.length > 1 ? `(?:${known.join('|')})` : known[0];
}
