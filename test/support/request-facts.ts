import { expect } from 'vitest';
import type { JsonPath } from '../../src/json/path.ts';
import type { JsonObject } from '../../src/json/is-object.ts';
import type { RequestFacts } from '../../src/providers/request-facts.ts';

/** Returns the value at a path of a document. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value);
}

/** `role kind: text` of every text, for reading in a table. */
export function wordsOf(facts: RequestFacts): string[] {
  return facts.texts.map(({ role, kind, text }) => `${role} ${kind}: ${text}`);
}

/** `role kind path: text` of every text. */
export function placedWordsOf(facts: RequestFacts): string[] {
  return facts.texts.map(({ role, kind, text, path }) => `${role} ${kind} ${path.join('.')}: ${text}`);
}

/** Expects each editable text at its path. */
export function expectPathsToHold(facts: RequestFacts, body: JsonObject): void {
  for (const { text, path, editable } of facts.texts) {
    if (editable !== false) expect(valueAt(body, path)).toBe(text);
  }
}

/** The facts of an empty request. */
export const EMPTY_REQUEST = {
  stream: false,
  media: [],
  tools: [],
  hostedTools: [],
  choices: 1,
  output: undefined,
  unseenContent: false,
} as const satisfies Partial<RequestFacts>;
