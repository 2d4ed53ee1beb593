import { RE2JS } from 're2js';
import type { Span } from '../text/span.ts';
import type { Detector, Finding } from './finding.ts';
import type { Label } from './literal.ts';

/** After so many matches, the rest counts as one, because each search may scan the whole rest (`x(.*y)?` in `xxx…`). */
const MAX_PATTERN_MATCHES = 10;

/** Number of matches found by searching the whole rest of the text. */
const FIRST_MATCHES = 6;
const MAX_NEAR_SEARCHES = 1_000;
const NEAR_CHARS = 256;
/** Limit for searches further ahead, in text lengths. Matches that are far apart take four to eight. */
const MAX_PASSES = 10;

/**
 * Creates a detector for an operator's injection pattern in RE2 syntax. Takes linear time.
 * @throws Error if the pattern is invalid or matches the empty text
 */
export function createPatternDetector(source: string, rule: string): Detector {
  const pattern = compile(source);
  if (pattern.test('')) throw new Error('matches the empty text and would match everywhere');
  const label = { detector: 'prompt_injection', class: 'override', rule } as const;
  return unlessAbsent(pattern, (text) => {
    const found: Finding[] = [];
    const matcher = pattern.matcher(text);
    while (found.length < MAX_PATTERN_MATCHES && matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start) found.push({ ...label, start, end });
    }
    const last = found[MAX_PATTERN_MATCHES - 1];
    if (last !== undefined) found.push({ ...label, start: last.end, end: text.length });
    return found;
  });
}

/**
 * Creates a detector for an operator's expression in RE2 syntax, for slices of a few kilobytes. Takes linear time.
 * After the first matches, it searches nearby, then further ahead. Once it exceeds its limits, the rest of the text
 * counts as one match.
 * @throws Error if the expression is invalid
 */
export function createExpressionDetector(source: string, label: Label): Detector {
  const expression = compile(source);
  return unlessAbsent(expression, (text) => {
    const found: Finding[] = [];
    const search = new Search(expression, text);
    for (let span = search.next(); span !== undefined; span = search.next()) {
      if (span.end > span.start) found.push({ ...label, ...span });
    }
    return found;
  });
}

function compile(source: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(source));
}

/** Tests first, because a test is ten times faster than a search and nearly always negative. */
function unlessAbsent(expression: RE2JS, find: Detector): Detector {
  return (text) => (expression.test(text) ? find(text) : []);
}

class Search {
  readonly #expression: RE2JS;
  readonly #text: string;
  #at = 0;
  #matches = 0;
  #nearSearches = 0;
  #charsLeft: number;

  constructor(expression: RE2JS, text: string) {
    this.#expression = expression;
    this.#text = text;
    this.#charsLeft = MAX_PASSES * text.length;
  }

  next(): Span | undefined {
    if (this.#at > this.#text.length) return undefined;
    this.#matches += 1;
    const found =
      this.#matches <= FIRST_MATCHES ? this.#find(this.#text) : (this.#nearby() ?? this.#furtherAway());
    // After an empty match, the next one may begin one code unit later.
    this.#at = found === undefined ? Infinity : Math.max(found.end, found.start + 1);
    return found;
  }

  /** Returns undefined if no match ends within the next `NEAR_CHARS`. */
  #nearby(): Span | undefined {
    const end = Math.min(this.#text.length, this.#at + NEAR_CHARS);
    if (this.#nearSearches === MAX_NEAR_SEARCHES) return this.#rest();
    this.#nearSearches += 1;
    const found = this.#find(this.#text.slice(0, end));
    return found !== undefined && found.end < end ? found : undefined;
  }

  /** Accepts a match only with `NEAR_CHARS` of text after it, or after a search of the whole rest. */
  #furtherAway(): Span | undefined {
    const { length } = this.#text;
    for (let chars = 2 * NEAR_CHARS; this.#at + chars < length; chars *= 2) {
      if (!this.#mayRead(chars)) return this.#rest();
      const found = this.#find(this.#text.slice(0, this.#at + chars));
      if (found !== undefined && found.end + NEAR_CHARS <= this.#at + chars) return found;
    }
    return this.#mayRead(length - this.#at) ? this.#find(this.#text) : this.#rest();
  }

  #mayRead(chars: number): boolean {
    this.#charsLeft -= chars;
    return this.#charsLeft >= 0;
  }

  #rest(): Span {
    return { start: this.#at, end: this.#text.length };
  }

  #find(text: string): Span | undefined {
    const matcher = this.#expression.matcher(text);
    return matcher.find(this.#at) ? { start: matcher.start(), end: matcher.end() } : undefined;
  }
}
