import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
/** What the engine is built from, beside Go itself. */
const SOURCE = /\.go$|^go\.(?:mod|sum)$|^limit-memory\.ts$/u;

/** One digest over the engine's sources: SHA256SUMS says which ones the engine that is checked in was built from. */
export function sourcesDigest(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(HERE)
    .filter((each) => SOURCE.test(each))
    .sort())
    hash
      .update(`${name}\n`)
      .update(readFileSync(join(HERE, name)))
      .update('\n');
  return hash.digest('hex');
}
