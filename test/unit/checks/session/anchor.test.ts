import { describe, expect, it } from 'vitest';
import { anchorAmong, anchorOf } from '../../../../src/checks/session/anchor.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

const KEY = `key-${'7'.repeat(60)}`;
/** Finds one kind of secret, and only if it is complete. */
const maskSecrets = (text: string): string => text.replaceAll(/key-7{60}/g, '***');
const bytes = (text: string): number => Buffer.byteLength(text);

describe('the stored first user request', () => {
  it('is the text, its secrets masked', () => {
    expect(anchorOf(`Use ${KEY} to deploy.`, maskSecrets)).toBe('Use *** to deploy.');
  });

  it('is at most 16 KiB', () => {
    expect(anchorOf('x'.repeat(16_384), maskSecrets)).toHaveLength(16_384);
    expect(anchorOf('x'.repeat(20_000), maskSecrets)).toHaveLength(16_384);
    expect(anchorOf('x'.repeat(2_000_000), maskSecrets)).toHaveLength(16_384);
  });

  it.each(['ä', '漢', '🙂'])('cuts no character: %s', (character) => {
    for (let before = 0; before < 4; before++) {
      const anchor = anchorOf('x'.repeat(before) + character.repeat(9_000), maskSecrets);
      expect(bytes(anchor)).toBeGreaterThan(16_384 - 4);
      expect(bytes(anchor)).toBeLessThanOrEqual(16_384);
      expect(anchor.replaceAll(character, '')).toBe('x'.repeat(before));
    }
  });

  it('contains no part of a secret at the cut', () => {
    for (let before = 16_384 - 70; before <= 16_384; before++) {
      expect(anchorOf('x'.repeat(before) + KEY, maskSecrets)).not.toContain('7');
    }
  });

  it('holds no part of a secret that was cut before it was searched for', () => {
    for (let before = 0; before < 70; before++) {
      // So many that the masked part of the searched text would fit into 16 KiB, up to its very end.
      const dense = 'x'.repeat(before) + `${KEY} and some words `.repeat(10_000);
      expect(anchorOf(dense, maskSecrets)).not.toContain('7');
    }
    const sparse = `${KEY} ${'and some words '.repeat(8)}`.repeat(10_000);
    expect(anchorOf(sparse, maskSecrets)).toMatch(/^\*\*\* and some words /);
  });

  it('of 2 MiB takes no time', () => {
    const text = 'word '.repeat(420_000);
    expect(quickestCpuMs(() => anchorOf(text, maskSecrets))).toBeLessThan(50);
  });
});

describe('an anchor among those of very many sessions of a key', () => {
  const whole = 'x'.repeat(16_384);

  it.each([
    [1, 16_384],
    [512, 16_384],
    [1_024, 8_192],
    [10_000, 838],
  ])('among %i sessions has at most %i bytes', (sessions, most) => {
    expect(anchorAmong(whole, sessions)).toBe('x'.repeat(most));
    expect(anchorAmong('short', sessions)).toBe('short');
  });

  it('splits no character', () => {
    expect(anchorAmong('漢'.repeat(5_000), 10_000)).toBe('漢'.repeat(279));
  });
});
