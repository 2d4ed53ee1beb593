import { RE2JS } from 're2js';
import type { Detector, Finding } from './finding.ts';
import type { Label } from './literal.ts';

/** Matches behind which the next one is looked for nearby first. */
const FIRST_MATCHES = 6;
/** Searches of a whole text, each of which may read all the rest of it (`x(.*y)?` in a row of x). */
const MAX_SEARCHES = 80;
/** Searches of the next 256 UTF-16 units. */
const MAX_NEAR_SEARCHES = 1_000;
const NEAR_CHARS = 256;

/**
 * A detector for an operator's expression, in RE2's syntax. Takes linear time: behind the first matches of a text each
 * further one is looked for nearby, and where there are too many the rest of the text counts as one. Meant for slices
 * of some kilobytes.
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
  #searches = 0;
  #nearSearches = 0;

  constructor(expression: RE2JS, text: string) {
    this.#expression = expression;
    this.#text = text;
  }

  next(): Match | undefined {
    if (this.#at > this.#text.length) return undefined;
    const found = this.#searches < FIRST_MATCHES ? this.#inRest() : (this.#nearby() ?? this.#inRest());
    // After an empty match the next one may begin a unit further on.
    this.#at = found === undefined ? Infinity : Math.max(found.end, found.start + 1);
    return found;
  }

  /** Undefined where the next match is further away, or longer. */
  #nearby(): Match | undefined {
    const end = Math.min(this.#text.length, this.#at + NEAR_CHARS);
    if (this.#nearSearches === MAX_NEAR_SEARCHES) return { start: this.#at, end: this.#text.length };
    this.#nearSearches += 1;
    const found = this.#find(this.#text.slice(0, end));
    return found !== undefined && found.end < end ? found : undefined;
  }

  #inRest(): Match | undefined {
    if (this.#searches === MAX_SEARCHES) return { start: this.#at, end: this.#text.length };
    this.#searches += 1;
    return this.#find(this.#text);
  }

  #find(text: string): Match | undefined {
    const matcher = this.#expression.matcher(text);
    return matcher.find(this.#at) ? { start: matcher.start(), end: matcher.end() } : undefined;
  }
}
