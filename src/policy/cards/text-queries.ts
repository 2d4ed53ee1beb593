import { MAX_REMEMBERED_TEXTS } from '../../clean-texts.ts';
import type { Span } from '../../normalize/normalized.ts';
import { RecentMap } from '../../recent-map.ts';
import { textDigest } from '../../text-digest.ts';
import type { CallText, PolicyCall } from '../call.ts';
import { argumentsAt } from './fields.ts';
import type { TextPattern } from './mask-rule.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import { searchFor, type TextSearch } from './text-patterns.ts';

/** Where a text condition found what it looks for. */
export interface TextMatch extends Span {
  /** The text in which it stands: as sent, or without its disguises. */
  readonly text: string;
}

/** One question to the texts of a call; equal ones are one. */
export interface TextQuery {
  readonly pattern: TextPattern;
  /** Below `arguments`; undefined for all texts. */
  readonly argument: readonly string[] | undefined;
}

/** The text conditions of all cards: each pattern is looked for once in each text, and only where a rule asks. */
export interface TextQueries {
  /**
   * The number of a question, by which its answer is asked for.
   * @throws Error that says what is wrong with a regular expression
   */
  add(query: TextQuery): number;
  /** Answers of those that are `asked`, by number; gives other requests a turn. */
  answer(call: PolicyCall, asked: ReadonlySet<number>): Promise<ReadonlyMap<number, TextMatch>>;
}

/** @param maxTexts that are known again to hold nothing */
export function createTextQueries(maxTexts = MAX_REMEMBERED_TEXTS): TextQueries {
  const numbers = new Map<string, number>();
  const queries: (TextQuery & { readonly search: TextSearch })[] = [];
  /** Agents send their history again with every turn: texts in which some questions found nothing, by digest. */
  const clean = new RecentMap<true>(maxTexts);

  async function answer(call: PolicyCall, asked: ReadonlySet<number>): Promise<Map<number, TextMatch>> {
    const found = new Map<number, TextMatch>();
    const everywhere = [...asked].filter((number) => queries[number]?.argument === undefined);
    const name = everywhere.join();
    for (const text of everywhere.length === 0 ? [] : call.texts) {
      const digest = textDigest(text.raw);
      const key = digest === undefined ? undefined : `${name} ${digest}`;
      if (key !== undefined && clean.get(key) === true) continue;
      let isClean = true;
      for (const number of everywhere) {
        if (found.has(number)) {
          isClean = false;
          continue;
        }
        const asking = ask(number, text);
        if (asking instanceof Promise ? await asking : asking) isClean = false;
      }
      if (isClean && key !== undefined) clean.set(key, true);
    }
    for (const number of asked) {
      const path = queries[number]?.argument;
      if (path === undefined) continue;
      for (const text of textsAt(call, path)) if (await ask(number, text)) break;
    }
    return found;

    /** At once where it can be told at once: most texts are short, and a text has a dozen questions. */
    function ask(number: number, text: CallText): boolean | Promise<boolean> {
      const search = queries[number]?.search;
      if (search === undefined) throw new Error('nobody asked this question');
      const match = matchIn(search, text);
      return match instanceof Promise ? match.then((one) => noted(number, one)) : noted(number, match);
    }

    function noted(number: number, match: TextMatch | undefined): boolean {
      if (match === undefined) return false;
      found.set(number, match);
      return true;
    }
  }

  return {
    add(query) {
      const key = JSON.stringify(query);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const number = queries.push({ ...query, search: searchFor(query.pattern) }) - 1;
      numbers.set(key, number);
      return number;
    },
    answer,
  };
}

type Searched = TextMatch | undefined | Promise<TextMatch | undefined>;

/** As it was sent, or else without its disguises. */
function matchIn(search: TextSearch, { raw, normalized }: CallText): Searched {
  const first = run(search, raw);
  if (normalized === raw) return first;
  if (first instanceof Promise) return first.then((match) => match ?? run(search, normalized));
  return first ?? run(search, normalized);
}

function run(search: TextSearch, text: string): Searched {
  return isTurnOver(text.length)
    ? nextTurn().then(() => placed(search(text), text))
    : placed(search(text), text);
}

function placed(found: ReturnType<TextSearch>, text: string): Searched {
  if (found instanceof Promise) return found.then((span) => span && { ...span, text });
  return found && { ...found, text };
}

/** Texts at a path below a tool's arguments; what is no text is read as it would be written. */
function textsAt(call: PolicyCall, path: readonly string[]): readonly CallText[] {
  const texts = call.texts.filter(({ argument }) => argument !== undefined && isBelow(argument, path));
  const others = argumentsAt(call, path).filter(
    (value) => typeof value === 'number' || typeof value === 'boolean',
  );
  return [
    ...texts,
    ...others.map((value) => ({ raw: String(value), normalized: String(value), argument: undefined })),
  ];
}

function isBelow(argument: NonNullable<CallText['argument']>, path: readonly string[]): boolean {
  return path.every((step, index) => {
    const at = argument[index];
    return at !== undefined && (step === '*' || step === String(at));
  });
}
