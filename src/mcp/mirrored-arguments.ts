import { isObject } from '../json/is-object.ts';
import type { JsonPath } from '../json/path.ts';

const NUMBER = /^-?\d{1,32}(?:\.\d{1,32})?$/;

/**
 * Where in a tool's arguments each of these texts stands, as MCP mirrors them: strings, numbers and booleans that are
 * reached through objects alone. Numbers are compared as such (`42.0` says 42). One walk, however many texts.
 */
export function findArguments(
  root: unknown,
  texts: readonly string[],
): ReadonlyMap<string, readonly JsonPath[]> {
  const found = new Map<string, JsonPath[]>(texts.map((text) => [text, []]));
  const numbers = new Map<number, string[]>();
  for (const text of found.keys()) {
    if (NUMBER.test(text)) numbers.set(Number(text), [...(numbers.get(Number(text)) ?? []), text]);
  }
  const path: string[] = [];
  function visit(value: unknown): void {
    if (isObject(value)) {
      for (const name of Object.keys(value)) {
        path.push(name);
        visit(value[name]);
        path.pop();
      }
      return;
    }
    if (typeof value === 'number') {
      for (const text of numbers.get(value) ?? []) found.get(text)?.push([...path]);
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      found.get(String(value))?.push([...path]);
    }
  }
  visit(root);
  return found;
}

/** What a header says of the argument at `path`; undefined where it says nothing of it. */
export function argumentText(root: unknown, path: JsonPath): string | undefined {
  let value = root;
  for (const step of path) {
    if (!isObject(value)) return undefined;
    value = value[step];
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}
