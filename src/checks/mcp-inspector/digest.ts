import { createHash } from 'node:crypto';

/** What a model is told of a tool, and what its client goes by; icons and `_meta` change without meaning. */
const PINNED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** Names a tool's definition: SHA-256 of its canonical JSON, in which the order of members does not count. */
export function definitionDigest(tool: Readonly<Record<string, unknown>>): string {
  const pinned = PINNED.flatMap((name) => (tool[name] === undefined ? [] : [[name, tool[name]]]));
  return createHash('sha256')
    .update(canonicalJson(Object.fromEntries(pinned)))
    .digest('base64url');
}

/** JSON with the members of every object in order of their names. `value` nests no deeper than `parseStrict` allows. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, below]) => `${JSON.stringify(name)}:${canonicalJson(below)}`).join(',')}}`;
}
