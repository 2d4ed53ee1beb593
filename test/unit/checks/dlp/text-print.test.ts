import { describe, expect, it } from 'vitest';
import { Copies, TextPrint } from '../../../../src/inspect/stream/copies.ts';
import { contentDetector } from '../../../support/dlp-rewriter.ts';

const [FIRST, SECOND] = ['AKIAQWERTY', 'UIOPASDFGH'] as const;

describe('a print', () => {
  it('recognizes its text in any pieces, and its last piece', () => {
    const print = new TextPrint();
    for (const piece of ['Grüße', ', ', '世界 🙂']) print.add(piece);
    expect(
      ['Grüße, 世界 🙂', 'Grüße, 世界 🙁', 'rüße, 世界 🙂G', '世界 🙂'].map((text) => print.isWhole(text)),
    ).toEqual([true, false, false, false]);
    expect([print.isLast('世界 🙂'), print.isLast('Grüße, 世界 🙂')]).toEqual([true, false]);
  });

  it('distinguishes texts that differ in one place', () => {
    const text = 'the quick brown fox jumps over the lazy dog';
    const print = new TextPrint();
    print.add(text);
    for (let at = 0; at < text.length; at += 1) {
      for (const letter of 'az0 ') {
        const other = text.slice(0, at) + letter + text.slice(at + 1);
        expect(print.isWhole(other)).toBe(other === text);
      }
    }
  });
});

describe('texts beside channels', () => {
  const NO_TAILS = { tail: '', tailBefore: '' };
  const copies = (): Copies => new Copies(contentDetector());

  it('are of bounded number', () => {
    const many = copies();
    expect(() => {
      for (let n = 0; n < 2_000; n += 1) many.stray(`0/${String(n)}`, NO_TAILS, 'x', 'whole');
    }).toThrow(/too much/);
  });

  it('are forgotten once their channel has gone on without them', () => {
    const one = copies();
    one.stray('0/text', { tail: 'x. ', tailBefore: '' }, 'Fine. ', 'whole');
    one.nextPiece('0/text', 'and on ');
    expect(() => one.nextPiece('0/text', `${FIRST}${SECOND}`)).not.toThrow();
  });

  it('are compared with the last 1024 characters of earlier text, and 4096 of later text', () => {
    const far = copies();
    far.stray('0/text', NO_TAILS, `${FIRST}${' '.repeat(1_024)}`, 'whole');
    expect(() => far.nextPiece('0/text', SECOND)).not.toThrow();
    const near = copies();
    near.stray('0/text', NO_TAILS, `${' '.repeat(2_000)}${FIRST}`, 'whole');
    expect(() => near.nextPiece('0/text', `${SECOND} `)).toThrow(/two fields/);
  });
});
