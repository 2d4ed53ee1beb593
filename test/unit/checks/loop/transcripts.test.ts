import { describe, expect, it } from 'vitest';
import { LOOPING } from '../../../support/transcripts/looping.ts';
import { PADDED } from '../../../support/transcripts/padded.ts';
import { flaggedCalls } from '../../../support/transcripts/replay.ts';
import { WORKING } from '../../../support/transcripts/working.ts';

const DEFEAT = { fingerprint: { defeat_padding: true } };
/** The cost of dropping digits: work that differs only in numbers or single letters looks like a standstill. */
const WORK_IN_DIGITS = [
  'reads files whose names differ in one letter',
  'is told to fix one file after another',
  'polls a job whose progress changes',
];

describe('an agent that works is not a loop', () => {
  it.each(WORKING)('$name', async (transcript) => {
    expect(await flaggedCalls(transcript)).toEqual([]);
  });
});

describe('an agent that works is not a loop with defeat_padding either, unless only a number changes', () => {
  it.each(WORKING)('$name', async (transcript) => {
    const flagged = await flaggedCalls(transcript, DEFEAT);
    expect(flagged.length > 0).toBe(WORK_IN_DIGITS.includes(transcript.name));
  });
});

describe('an agent that loops is caught with its fourth call, or soon after', () => {
  it.each(LOOPING)('$name', async (transcript) => {
    const [first] = await flaggedCalls(transcript);
    expect(first).toBeGreaterThanOrEqual(3);
    expect(first).toBeLessThanOrEqual(7);
    expect((await flaggedCalls(transcript, DEFEAT)).length).toBeGreaterThan(0);
  });
});

describe('an agent that pads its loop is caught with defeat_padding', () => {
  it.each(PADDED)('$name', async (transcript) => {
    expect((await flaggedCalls(transcript, DEFEAT)).length).toBeGreaterThan(0);
  });
});
