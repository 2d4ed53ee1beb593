import { describe, expect, it } from 'vitest';
import { LOOPING } from '../../../support/transcripts/looping.ts';
import { PADDED } from '../../../support/transcripts/padded.ts';
import { flaggedCalls } from '../../../support/transcripts/replay.ts';
import { WORKING } from '../../../support/transcripts/working.ts';

const DEFEAT = { fingerprint: { defeat_padding: true } };
/** What dropping digits costs: work that differs in numbers or single letters alone looks like standing still. */
const WORK_IN_DIGITS = [
  'reads files whose names differ in one letter',
  'is told to fix one file after another',
  'polls a job whose progress changes',
];

describe('an agent that works is no loop', () => {
  it.each(WORKING)('$name', async (transcript) => {
    expect(await flaggedCalls(transcript)).toEqual([]);
  });
});

describe('an agent that works is no loop with defeat_padding either, unless all that changes is a number', () => {
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
