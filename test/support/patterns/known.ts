import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Patterns that were attacked and took linear time, as recorded by `npm run patterns`. */
export const KNOWN_FILE = new URL('../../fixtures/linear-patterns.json', import.meta.url);
const ATTACKERS = ['attacks.ts', 'automaton.ts', 'growth.ts'];

export interface Known {
  /** Digest of the attacking code and of V8's version. Results under another one do not count. */
  readonly attacker: string;
  readonly patterns: readonly string[];
}

/** Returns the digests of patterns that this attacker has found linear. */
export function knownPatterns(): ReadonlySet<string> {
  const { attacker, patterns } = JSON.parse(readFileSync(KNOWN_FILE, 'utf8')) as Known;
  return new Set(attacker === attackerDigest() ? patterns : []);
}

export function attackerDigest(): string {
  const code = ATTACKERS.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'));
  return digest([process.versions.v8, ...code].join('\n'));
}

export function patternDigest(pattern: RegExp): string {
  return digest(String(pattern));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
