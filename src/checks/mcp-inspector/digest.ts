import { createHash, type Hash } from 'node:crypto';
import { isObject, type JsonObject } from '../../mcp/answer-shape.ts';
import type { Work } from '../../turns.ts';

/** Members that change without meaning: signed addresses of pictures, notes of the server's own. */
const VARYING: ReadonlySet<string> = new Set(['icons', '_meta']);

/**
 * Names a tool's definition: SHA-256 of its canonical JSON, in which the order of members does not count. Yields after
 * every value, so that a caller can give way.
 */
export function* definitionDigest(tool: JsonObject): Work<string> {
  const pinned = Object.entries(tool).filter(([name]) => !VARYING.has(name));
  const hash = createHash('sha256');
  yield* addCanonical(hash, Object.fromEntries(pinned));
  return hash.digest('base64url');
}

/** What it costs to add a value, or a container, beside what is written of it. */
const VALUE_CHARS = 16;

/** Adds a value with the members of every object in order of their names. */
function* addCanonical(hash: Hash, value: unknown): Work<void> {
  if (Array.isArray(value)) {
    hash.update('[');
    for (const element of value) {
      yield* addCanonical(hash, element);
      hash.update(',');
    }
    hash.update(']');
  } else if (isObject(value)) {
    hash.update('{');
    for (const name of Object.keys(value).toSorted()) {
      hash.update(`${JSON.stringify(name)}:`);
      yield* addCanonical(hash, value[name]);
      hash.update(',');
    }
    hash.update('}');
  } else {
    const json = JSON.stringify(value);
    hash.update(json);
    yield json.length + VALUE_CHARS;
  }
}
