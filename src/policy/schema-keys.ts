import * as z from 'zod';
import { isObject } from '../json/is-object.ts';

const known = new WeakMap<z.ZodType, readonly string[]>();

/** Returns all keys of a schema at any depth, for suggestions. */
export function keysOf(schema: z.ZodType): readonly string[] {
  const remembered = known.get(schema);
  if (remembered !== undefined) return remembered;
  const names = new Set<string>();
  collect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), names);
  const keys = [...names];
  known.set(schema, keys);
  return keys;
}

function collect(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) for (const item of node) collect(item, names);
  if (!isObject(node)) return;
  for (const [name, below] of Object.entries(node)) {
    if (name === 'properties' && isObject(below)) for (const key of Object.keys(below)) names.add(key);
    collect(below, names);
  }
}
