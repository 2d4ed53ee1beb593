import { RE2JS } from 're2js';
import type { Detector, Finding } from './finding.ts';
import type { Label } from './literal.ts';

/** Matches behind which the next one is looked for nearby first. */
const FIRST_MATCHES = 6;
/** Searches of the next 256 UTF-16 units. */
const MAX_NEAR_SEARCHES = 1_000;
const NEAR_CHARS = 256;
/**
 * What searches further away may read, in lengths of the text. Each of them may read all that it is given (`x(.*y)?` in a
 * row of x), so it is given twice as much as the one before; matches that stand apart take four to eight lengths in all.
 */
const MAX_READINGS = 10;

/**
 * A detector for an operator's expression, in RE2's syntax. Takes linear time: behind the first matches of a text each
 * further one is looked for nearby, then further and further away, and where that takes too much the rest of the text counts
 * as one. Meant for slices of some kilobytes.
 * @throws Error that says what is wrong with the expression
 */
export function createExpressionDetector(source: string, label: Label): Detector {
  const expression = RE2JS.compile(RE2JS.translateRegExp(source));
  return (text) => {
    // A test is ten times faster than a search, and nearly always the answer is no.
    if (!expression.test(text)) return [];
    const found: Finding[] = [];
    const search = new Search(expression, text);
    for (let span = search.next(); span !== undefined; span = search.next()) {
      if (span.end > span.start) found.push({ ...label, ...span });
    }
    return found;
  };
}

interface Match {
  readonly start: number;
  readonly end: number;
}

/** The matches of one text, in order. */
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
    this.#charsLeft = MAX_READINGS * text.length;
  }

  next(): Match | undefined {
    if (this.#at > this.#text.length) return undefined;
    this.#matches += 1;
    const found =
      this.#matches <= FIRST_MATCHES ? this.#find(this.#text) : (this.#nearby() ?? this.#furtherAway());
    // After an empty match the next one may begin a unit further on.
    this.#at = found === undefined ? Infinity : Math.max(found.end, found.start + 1);
    return found;
  }

  /** Undefined where the next match is further away, or longer. */
  #nearby(): Match | undefined {
    const end = Math.min(this.#text.length, this.#at + NEAR_CHARS);
    if (this.#nearSearches === MAX_NEAR_SEARCHES) return this.#rest();
    this.#nearSearches += 1;
    const found = this.#find(this.#text.slice(0, end));
    return found !== undefined && found.end < end ? found : undefined;
  }

  /** A match counts where as much behind it was read as nearby, or all. */
  #furtherAway(): Match | undefined {
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

  #rest(): Match {
    return { start: this.#at, end: this.#text.length };
  }

  #find(text: string): Match | undefined {
    const matcher = this.#expression.matcher(text);
    return matcher.find(this.#at) ? { start: matcher.start(), end: matcher.end() } : undefined;
  }
}
