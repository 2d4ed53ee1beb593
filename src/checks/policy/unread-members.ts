import { isObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';

/** Text paths; `true` covers a path and everything below it. */
type Covered = Map<string | number, Covered | true>;

/** Longer strings are files, images and encrypted reasoning, which only DLP scans. */
const MAX_CHARS = 2_048;
/** Shorter strings are protocol words, such as roles and types. */
const MIN_CHARS = 12;
/** Objects with more values are read member by member. */
const MAX_TOGETHER = 256;
const MAX_VALUES = 16_384;

/**
 * Returns the body parts outside the dialect's texts, such as metadata, or undefined if there are none. Skips long
 * strings and, outside small objects, short strings and other single values.
 */
export function unreadMembers(
  body: unknown,
  texts: readonly { readonly path: JsonPath }[],
): object | undefined {
  const left: unknown[] = [];
  let budget = MAX_VALUES;
  collect(body, coveredBy(texts));
  return left.length === 0 ? undefined : left;

  function collect(value: unknown, covered: Covered): void {
    for (const [name, member] of membersOf(value)) {
      if (--budget < 0) return;
      const below = covered.get(name);
      if (below === true) continue;
      if (below !== undefined) collect(member, below);
      else if (typeof member === 'string') {
        if (member.length >= MIN_CHARS) add(name, member);
      } else if (typeof member !== 'object' || member === null) continue;
      else if (isSmall(member)) add(name, member);
      else collect(member, NOTHING);
    }
  }

  function add(name: string | number, member: string | object): void {
    if (typeof member === 'string' && member.length > MAX_CHARS) return;
    left.push(typeof name === 'number' ? member : { [name]: member });
  }

  function isSmall(root: object): boolean {
    const unread: unknown[] = [root];
    for (let read = 0; unread.length > 0; read += 1) {
      const value = unread.pop();
      if (read > MAX_TOGETHER || --budget < 0) return false;
      if (typeof value === 'string' && value.length > MAX_CHARS) return false;
      for (const [, member] of membersOf(value)) if (unread.push(member) > MAX_TOGETHER) return false;
    }
    return true;
  }
}

const NOTHING: Covered = new Map();

function coveredBy(texts: readonly { readonly path: JsonPath }[]): Covered {
  const root: Covered = new Map();
  for (const { path } of texts) {
    let at = root;
    for (const [depth, step] of path.entries()) {
      const below = at.get(step);
      if (below === true) break;
      if (depth === path.length - 1) {
        at.set(step, true);
        break;
      }
      const next: Covered = below ?? new Map();
      at.set(step, next);
      at = next;
    }
  }
  return root;
}

function membersOf(value: unknown): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isObject(value) ? Object.entries(value) : [];
}
