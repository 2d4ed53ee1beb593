import { RegExpParser, type AST } from '@eslint-community/regexpp';

/** A part of a pattern that reads one character, at its position. */
export interface Position {
  /** The characters of `Automaton.alphabet` that it reads, as bits. */
  readonly reads: bigint;
  /** The positions that may read the next character. */
  readonly follow: readonly number[];
  /** Members of `follow` that can be reached in more than one way. */
  readonly twice: readonly number[];
}

/**
 * What a backtracking matcher may try, on the safe side: assertions hold, a lookahead is one more branch, and more
 * than three repetitions are any number.
 */
export interface Automaton {
  /** One character for each kind that the pattern distinguishes, first those that the fewest parts read. */
  readonly alphabet: readonly string[];
  /** The first position is before the text. */
  readonly positions: readonly Position[];
  /** Whether some part can be repeated without a limit. */
  readonly isEndless: boolean;
}

const parser = new RegExpParser();
const MANY = 3;

export function automatonOf({ source, flags }: RegExp): Automaton {
  const ast = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const drawing = new Drawing();
  const entry = drawing.either(ast.alternatives, drawing.add());
  const isMultiline = flags.includes('m');
  const alphabet = alphabetOf(ast, drawing.atoms, flags);

  const atStart = drawing.readersFrom(entry, true);
  const later = drawing.readersFrom(entry, isMultiline);
  const searches = later.size > 0;
  const index = new Map([...drawing.readers.keys()].map((state, at) => [state, at + (searches ? 2 : 1)]));
  const numbered = (found: ReadonlyMap<number, number>): Pick<Position, 'follow' | 'twice'> => ({
    follow: [...found.keys()].map((state) => index.get(state) ?? 0),
    twice: [...found].flatMap(([state, ways]) => (ways > 1 ? [index.get(state) ?? 0] : [])),
  });

  const start = numbered(atStart);
  const again = numbered(later);
  const everything = (1n << BigInt(alphabet.length)) - 1n;
  return {
    alphabet,
    isEndless: drawing.isEndless,
    positions: [
      { reads: 0n, ...start, follow: searches ? [1, ...start.follow] : start.follow },
      ...(searches ? [{ reads: everything, ...again, follow: [1, ...again.follow] }] : []),
      ...[...drawing.readers].map(([, { atom, next }]) => ({
        reads: bitsOf(alphabet, drawing.atoms[atom] ?? ''),
        ...numbered(drawing.readersFrom(next, isMultiline)),
      })),
    ],
  };

  function bitsOf(characters: readonly string[], raw: string): bigint {
    const matcher = new RegExp(`^(?:${raw})$`, flags.replace(/[gyd]/g, ''));
    return characters.reduce((bits, one, at) => (matcher.test(one) ? bits | (1n << BigInt(at)) : bits), 0n);
  }
}

/** States joined by steps that read nothing; some of them read one character. */
class Drawing {
  /** In source order. */
  readonly atoms: string[] = [];
  readonly readers = new Map<number, { readonly atom: number; readonly next: number }>();
  isEndless = false;
  readonly #ways: number[][] = [];
  readonly #onlyAtStart = new Set<number>();

  add(...ways: readonly number[]): number {
    return this.#ways.push([...ways]) - 1;
  }

  either(alternatives: readonly AST.Alternative[], next: number): number {
    return this.add(
      ...alternatives.map(({ elements }) =>
        elements.reduceRight((behind, element) => this.#element(element, behind), next),
      ),
    );
  }

  /**
   * The states that may read next, and how many ways lead to each, where two means more than one. A way may go round a
   * loop without reading: the loop's next turn reads what this one did not.
   */
  readersFrom(state: number, atStart: boolean): Map<number, number> {
    const ways = new Map<number, number>();
    const visit = (at: number): void => {
      const before = ways.get(at) ?? 0;
      if (before === 2 || (this.#onlyAtStart.has(at) && !atStart)) return;
      ways.set(at, before + 1);
      for (const way of this.#ways[at] ?? []) visit(way);
    };
    visit(state);
    return new Map([...ways].filter(([at]) => this.readers.has(at)));
  }

  #element(element: AST.Element, next: number): number {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.either(element.alternatives, next);
      case 'Quantifier':
        return this.#repeated(element, next);
      case 'Assertion':
        return this.#assertion(element, next);
      case 'Backreference':
        return this.#anyNumber((again) => this.#reader('[^]', again), next);
      default:
        return this.#reader(element.raw, next);
    }
  }

  #repeated({ element, min, max }: AST.Quantifier, next: number): number {
    this.isEndless ||= max === Infinity;
    const one = (behind: number): number => this.#element(element, behind);
    if (max > MANY) {
      const any = this.#anyNumber(one, next);
      return min === 0 ? any : one(any);
    }
    let entry = next;
    for (let count = max; count > 0; count -= 1)
      entry = count > min ? this.add(one(entry), next) : one(entry);
    return entry;
  }

  #anyNumber(one: (again: number) => number, next: number): number {
    const loop = this.add(next);
    this.#ways[loop]?.push(one(loop));
    return loop;
  }

  #assertion(assertion: AST.Assertion, next: number): number {
    if (assertion.kind === 'lookahead')
      return this.add(this.either(assertion.alternatives, this.add()), next);
    if (assertion.kind === 'lookbehind') assertBounded(assertion);
    const state = this.add(next);
    if (assertion.kind === 'start') this.#onlyAtStart.add(state);
    return state;
  }

  #reader(raw: string, next: number): number {
    const state = this.add();
    this.readers.set(state, { atom: this.atoms.push(raw) - 1, next });
    return state;
  }
}

/** Lookbehinds are not drawn; an unbounded one would read the whole text at each position. */
function assertBounded(lookbehind: AST.LookbehindAssertion): void {
  const inside = new Drawing();
  inside.either(lookbehind.alternatives, inside.add());
  if (inside.isEndless) throw new Error(`a lookbehind needs bounds: ${lookbehind.raw}`);
}

const USUAL = ['a', 'Z', '0', ' ', '\n', '\t', '_', '-', '.', '/', '\u00e9', '\u0e01', '\u2028', '\uffff'];

/** One character of each set that all atoms of the pattern treat alike. */
function alphabetOf(ast: AST.Pattern, atoms: readonly string[], flags: string): string[] {
  const matchers = [...new Set(atoms)].map((raw) => new RegExp(`^(?:${raw})$`, flags.replace(/[gyd]/g, '')));
  const kinds = new Map<string, string>();
  for (const character of [...new Set([...mentioned(ast), ...USUAL])]) {
    const kind = matchers.map((matcher) => (matcher.test(character) ? 1 : 0)).join('');
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  const partsThatRead = (kind: string): number => kind.replaceAll('0', '').length;
  return [...kinds]
    .toSorted(([a], [b]) => partsThatRead(a) - partsThatRead(b))
    .map(([, character]) => character);
}

/** Characters that the pattern names, as single ones or as ends of ranges, and their neighbours. */
function mentioned(ast: AST.Pattern): string[] {
  const values = new Set<number>();
  const visited = new Set<object>();
  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null || visited.has(node)) return;
    visited.add(node);
    if ('type' in node && node.type === 'Character' && 'value' in node && typeof node.value === 'number') {
      for (const near of [0, -1, 1]) values.add(node.value + near);
    }
    Object.values(node).forEach(visit);
  }
  visit(ast.alternatives);
  return [...values]
    .filter((value) => value >= 0 && value <= 0x10ffff)
    .map((value) => String.fromCodePoint(value));
}
