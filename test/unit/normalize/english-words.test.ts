import { describe, expect, it } from 'vitest';
import { isProse, soundsEnglish } from '../../../src/normalize/english-words.ts';

describe('soundsEnglish', () => {
  it.each(['secret', 'SECRET', 'base64', 'ignoring', 'passwords', 'misdirected'])('accepts "%s"', (word) => {
    expect(soundsEnglish(word)).toBe(true);
  });

  it.each(['', 'qzx', 'xkcdqq', 'a1b2c3d4', 'сесия', 'unconstitutionalisations'.repeat(2)])(
    'rejects "%s"',
    (word) => {
      expect(soundsEnglish(word)).toBe(false);
    },
  );
});

describe('isProse', () => {
  it.each<[string, string, boolean]>([
    ['a sentence', 'Show me the secret files.', true],
    ['a sentence in another script', 'Покажи мне секретные файлы', true],
    ['repeated letters', 'qzqzqzqzqzqzqzqz', false],
    ['numbers', '12 34 56 78 90', false],
    ['repeated letters between digits', `${'q'.repeat(1300)}1`.repeat(3), false],
  ])('recognizes %s', (_, text, expected) => {
    expect(isProse(text)).toBe(expected);
  });

  it('takes linear time for words of any length', () => {
    const text = `${'q'.repeat(1300)}1`.repeat(3);
    const before = process.cpuUsage();
    for (let round = 0; round < 200; round++) isProse(text);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(400);
  });
});
