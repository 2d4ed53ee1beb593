import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
/** Sources of the engine, besides Go itself. */
const SOURCE = /\.go$|^go\.(?:mod|sum)$|^limit-memory\.ts$/u;

/** Returns a digest of the engine's sources. SHA256SUMS has the digest of the sources of the committed engine. */
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
