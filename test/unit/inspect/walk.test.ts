import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../src/json/path.ts';
import { Walk } from '../../../src/inspect/walk.ts';

/** Paths and values as recursion gives them. */
function recursed(value: unknown, path: readonly (string | number)[]): [unknown, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const at = [...path, Array.isArray(value) ? Number(name) : name];
    return [[at, member], ...recursed(member, at)] as [unknown, unknown][];
  });
}

describe('a walk', () => {
  it('visits each member once, in the order of the document', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (root) => {
        const walk = new Walk(root, undefined, ['from', 1]);
        const visited: [unknown, unknown][] = [];
        for (let level = walk.next(); level !== undefined; level = walk.next()) {
          visited.push([[...walk.path], walk.value]);
          expect(valueAt(root, walk.path.slice(2))).toBe(walk.value);
          walk.enter(undefined);
        }
        expect(visited).toEqual(recursed(root, ['from', 1]));
      }),
    );
  });

  it('skips a container that is not entered, and passes on the state of one that is', () => {
    const walk = new Walk({ a: { x: 1 }, b: { y: 2 } }, 'root');
    const seen: string[] = [];
    for (let level = walk.next(); level !== undefined; level = walk.next()) {
      seen.push(`${level.state}/${String(walk.step)}@${walk.depth}`);
      if (walk.step === 'b') walk.enter('b');
    }
    expect(seen).toEqual(['root/a@1', 'root/b@1', 'b/y@2']);
  });

  it('visits ten thousand levels', () => {
    const deep: unknown = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
    const walk = new Walk(deep, undefined);
    let count = 0;
    for (; walk.next() !== undefined; walk.enter(undefined)) count += 1;
    expect(count).toBe(9_999);
  });
});
