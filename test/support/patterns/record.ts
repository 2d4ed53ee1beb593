import { writeFileSync } from 'node:fs';
import { allPatterns } from './all.ts';
import { excessOf } from './growth.ts';
import { attackerDigest, KNOWN_FILE, knownPatterns, patternDigest, type Known } from './known.ts';

/** `npm run patterns`: attacks the patterns that are not known to be linear, and records those that are. */
const { literals, made } = await allPatterns();
const known = knownPatterns();
const linear = new Set<string>();
for (const { at, pattern } of [...literals, ...made]) {
  const digest = patternDigest(pattern);
  if (linear.has(digest)) continue;
  const excess = known.has(digest) ? undefined : excessOf(pattern);
  if (excess === undefined) linear.add(digest);
  else process.stderr.write(`${at} ${String(pattern)} is not linear: ${JSON.stringify(excess)}\n`);
}
const record: Known = { attacker: attackerDigest(), patterns: [...linear].toSorted() };
writeFileSync(KNOWN_FILE, `${JSON.stringify(record, undefined, 1)}\n`);
process.stdout.write(`${String(linear.size)} patterns are linear\n`);
