import { addAll } from '../../add-all.ts';

/** A quoted fragment after an assignment: `a = "how to"`, `let b be 'pick a lock'`. */
const VALUE =
  /(?<=(?:[=:是为は]|[ \t](?:is|be|ist|est|es))[ \t]{0,3})(?:"([^"\n]{1,400})"|'([^'\n]{1,400})'|`([^`\n]{1,400})`|“([^”\n]{1,400})”|«([^»\n]{1,400})»|「([^」\n]{1,400})」)/g;
const NAME_BEFORE =
  /([\p{L}_$][\p{L}\p{N}_]{0,24})[\])]{0,2}(?:[ \t]{0,3}(?::?={1,2}|:|是|为|は)|[ \t]{1,3}(?:is|be|ist|est|es))[ \t]{0,3}$/u;
const NAME_CHARS = 40;

/** Text between two names that are joined. */
const LINK =
  /^[\s)}\]]{0,3}(?:\+|\.{1,2}|&|\|\||,|\b(?:and|then|plus|followed by|with|und|gefolgt von|et|puis|suivi de|y|e|seguido de|seguita da|и|затем)\b|和|と|加)?[\s({[$]{0,4}$/u;
const LINK_CHARS = 20;
const WORD = /\$?[\p{L}_][\p{L}\p{N}_]{0,24}/gu;

const REACH_CHARS = 600;
/** Maximum number of joints, because programs join thousands of fragments. */
const MAX_JOINTS = 16;
const MAX_JOINED_CHARS = 1024;

/** An order to act on the fragments, directly before their joint or its name. */
const ORDER_BEFORE =
  /(?:\b(?:answer|answers|respond|reply|follow|obey|comply|execute|carry out|act on|perform|do what|complete the (?:task|request) in|beantworte|antworte|befolge|réponds|répondez|exécute|suis|responde|responda|obedece|ejecuta|rispondi|obbedisci|esegui|execute|obedeça)|ответь|ответьте|выполни|исполни|回答|执行|遵循|答えて|実行)(?![\p{L}])[^.!?\n]{0,32}$/iu;
/** An order to act on the fragments, directly after their joint. */
const ORDER_AFTER =
  /^[^\p{L}]{0,8}(?:(?:and|then|now|und|et|y|e|и) ){0,2}(?:please )?(?:answer|respond to|reply to|follow|obey|comply with|execute|carry out|act on|do what) (?:it|this|that|the (?:result|resulting|combined|whole|full|joined)|what)(?![\p{L}])/iu;
/** Words of questions about a program. */
const ABOUT_CODE =
  /\b(?:print|prints|output|outputs|return|returns|value|length|type|log|evaluates?|result in|equal|concatenat\w{1,6}|characters|words|function|method|variable|query|statement|sql|translate)\b/i;
/** Joined fragments with fewer words may be names or titles. */
const MIN_WORDS = 4;

export interface Joint {
  readonly text: string;
  /** Offset of the first fragment; the span ends with the joint. */
  readonly start: number;
  readonly end: number;
  /** Whether the text orders the model to act on the joint. */
  readonly isOrdered: boolean;
}

interface Fragment {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Finds fragments that are named and joined soon after, in code or in prose. Takes linear time. */
export function findJoints(text: string): readonly Joint[] {
  const fragments = fragmentsOf(text);
  const joints: Joint[] = [];
  for (let first = 0; first < fragments.length && joints.length < MAX_JOINTS;) {
    const end = endOfGroup(fragments, first);
    if (end - first > 1) addAll(joints, jointsOf(text, fragments.slice(first, end)));
    first = end;
  }
  return joints.slice(0, MAX_JOINTS);
}

type NamedFragment = Fragment & { readonly name: string };

function fragmentsOf(text: string): readonly NamedFragment[] {
  const fragments: NamedFragment[] = [];
  VALUE.lastIndex = 0;
  for (let match = VALUE.exec(text); match !== null; match = VALUE.exec(text)) {
    const before = NAME_BEFORE.exec(text.slice(Math.max(0, match.index - NAME_CHARS), match.index));
    const value = match.slice(1).find((group) => group !== undefined) ?? '';
    if (before === null || !/\p{L}/u.test(value)) continue;
    const [whole, name = ''] = before;
    fragments.push({ name: bare(name), value, start: match.index - whole.length, end: VALUE.lastIndex });
  }
  return fragments;
}

const bare = (name: string): string => name.replace('$', '').toLowerCase();

/** Maximum number of fragments in a group. Long programs have many groups. */
const MAX_PIECES = 12;
function endOfGroup(fragments: readonly NamedFragment[], first: number): number {
  let at = first + 1;
  while (at < fragments.length && at - first < MAX_PIECES) {
    const [last, next] = [fragments[at - 1], fragments[at]];
    if (last === undefined || next === undefined || next.start - last.end > REACH_CHARS / 2) break;
    at += 1;
  }
  return at;
}

function jointsOf(text: string, group: readonly NamedFragment[]): readonly Joint[] {
  const start = group[0]?.start ?? 0;
  const from = group.at(-1)?.end ?? 0;
  const region = text.slice(from, from + REACH_CHARS);
  const byName = new Map<string, string>(group.map(({ name, value }) => [name, value]));
  const joints: Joint[] = [];
  if (!holdsTwo(byName, region)) return joints;
  for (const { names, at, end } of chainsIn(region, byName)) {
    const values = names.map((name) => byName.get(name) ?? '');
    const [joined = '', glued = ''] = [' ', ''].map((gap) => values.join(gap).slice(0, MAX_JOINED_CHARS));
    const isOrdered = isLongWord(joined) && isOrderedAt(region, at, end);
    joints.push({ text: joined, start, end: from + end, isOrdered });
    // Fragments may end in the middle of a word.
    joints.push({ text: glued, start, end: from + end, isOrdered: false });
  }
  return joints;
}

/** Fast test whether two of the names occur again, which is rare in programs and tables. */
function holdsTwo(fragments: ReadonlyMap<string, string>, region: string): boolean {
  const folded = region.toLowerCase();
  return [...fragments.keys()].filter((name) => folded.includes(name)).length > 1;
}

const isLongWord = (joined: string): boolean =>
  (joined.match(/\p{L}+/gu) ?? []).length >= MIN_WORDS || /[\u3040-\u9fff]{4}/u.test(joined);

interface Chain {
  readonly names: readonly string[];
  readonly at: number;
  readonly end: number;
}

function chainsIn(region: string, fragments: ReadonlyMap<string, string>): readonly Chain[] {
  const chains: Chain[] = [];
  let names: string[] = [];
  let start = 0;
  let end = 0;
  function close(): void {
    if (new Set(names).size > 1) chains.push({ names, at: start, end });
    names = [];
  }
  for (const { 0: word, index } of region.matchAll(WORD)) {
    const name = bare(word);
    if (!fragments.has(name)) continue;
    if (names.length > 0 && !isLink(region.slice(end, index))) close();
    if (names.length === 0) start = index;
    names.push(name);
    end = index + word.length;
  }
  close();
  return chains;
}

const isLink = (between: string): boolean => between.length <= LINK_CHARS && LINK.test(between);

const RESULT_BEFORE = /([\p{L}_][\p{L}\p{N}_]{0,24})\s{0,3}:?=\s{0,3}[({[$]{0,3}$/u;
const ORDER_CHARS = 64;

/** Reports whether an order precedes or follows a joint, or precedes the name of its result. */
function isOrderedAt(region: string, at: number, end: number): boolean {
  const before = region.slice(Math.max(0, at - ORDER_CHARS), at);
  const after = region.slice(end, end + 2 * ORDER_CHARS);
  if (ABOUT_CODE.test(before) || ABOUT_CODE.test(after.slice(0, ORDER_CHARS))) return false;
  if (ORDER_BEFORE.test(before) || ORDER_AFTER.test(after)) return true;
  const result = RESULT_BEFORE.exec(before)?.[1];
  return result !== undefined && isOrderedName(after, result);
}

function isOrderedName(text: string, name: string): boolean {
  for (const { 0: word, index } of text.matchAll(WORD))
    if (word === name && ORDER_BEFORE.test(text.slice(Math.max(0, index - ORDER_CHARS), index))) return true;
  return false;
}
