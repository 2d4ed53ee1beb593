/**
 * Replays agents' transcripts against loop detection and prints the confusion matrix of each setting, as
 * in docs/loops.md: `node test/bench/loops.ts` (add the name of a setting to see the wrongly judged transcripts).
 */
import { LOOPING } from '../support/transcripts/looping.ts';
import { PADDED } from '../support/transcripts/padded.ts';
import { flaggedCalls, type LoopConfig } from '../support/transcripts/replay.ts';
import type { Transcript } from '../support/transcripts/transcript.ts';
import { WORKING } from '../support/transcripts/working.ts';

const SETTINGS: Readonly<Record<string, LoopConfig>> = {
  defaults: {},
  defeat_padding: { fingerprint: { defeat_padding: true } },
  'similarity 0.8': { fingerprint: { similarity_threshold: 0.8 } },
  'similarity 0.8, defeat_padding': { fingerprint: { similarity_threshold: 0.8, defeat_padding: true } },
  'threshold 5, defeat_padding': { fingerprint: { threshold: 5, defeat_padding: true } },
  'stall only (16 bits, 5 in a row)': {
    fingerprint: { threshold: 1_000_000 },
    stall: { min_hamming_distance: 16, low_diversity_threshold: 5 },
  },
};

const GROUPS: readonly (readonly [string, readonly Transcript[]])[] = [
  ['working', WORKING],
  ['plain loops', LOOPING],
  ['padded loops', PADDED],
];

async function flagged(transcripts: readonly Transcript[], config: LoopConfig): Promise<Transcript[]> {
  const found: Transcript[] = [];
  for (const transcript of transcripts) {
    if ((await flaggedCalls(transcript, config)).length > 0) found.push(transcript);
  }
  return found;
}

const asked = process.argv[2];
const print = (line: string): void => void process.stdout.write(`${line}\n`);

print(
  `| setting | ${GROUPS.map(([name, group]) => `${name} flagged (of ${String(group.length)})`).join(' | ')} |`,
);
print(`| --- | ${GROUPS.map(() => '---').join(' | ')} |`);
for (const [setting, config] of Object.entries(SETTINGS)) {
  const results = await Promise.all(GROUPS.map(([, group]) => flagged(group, config)));
  print(`| ${setting} | ${results.map(({ length }) => String(length)).join(' | ')} |`);
  if (asked !== setting) continue;
  for (const [at, [name, group]] of GROUPS.entries()) {
    const wrong = group.filter((one) => results[at]?.includes(one) === (name === 'working'));
    for (const transcript of wrong) print(`    wrong: ${name}: ${transcript.name}`);
  }
}
