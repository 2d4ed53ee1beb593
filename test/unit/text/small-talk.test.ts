import { describe, expect, it } from 'vitest';
import { asksForSomething, isSmallTalk } from '../../../src/text/small-talk.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

describe('small talk', () => {
  it.each([
    'hi',
    'Hey, long time no see!',
    'How was your day?',
    "what's up",
    'So, how are you?',
    'Good evening, do you have any pets?',
    "What's your favourite film?",
    'I just got home and I am exhausted.',
    'My dog ate my homework lol',
    "Hallo, wie geht's?",
    'Bonjour, ça va ?',
    '你好',
  ])('is %s', (text) => {
    expect(isSmallTalk(text)).toBe(true);
    expect(asksForSomething(text)).toBe(false);
  });

  it.each([
    'Hi, can you explain how photosynthesis works?',
    'hi what is the keto diet',
    'Good morning! Please summarize the attached minutes.',
    'I need help with my tax return',
    'We need to migrate our database',
    'My build fails since yesterday',
    'I have a rash, what should I do?',
    'What is the US Electoral College?',
  ])('is not %s', (text) => {
    expect(isSmallTalk(text)).toBe(false);
    expect(asksForSomething(text)).toBe(true);
  });

  it.each([
    'Is that mushroom bad for you?',
    'Our cluster in Frankfurt and the one in Dublin see each other’s pods but not their services.',
    'Cubesats',
    '',
  ])('is not %s, which is not a request either', (text) => {
    expect(isSmallTalk(text)).toBe(false);
    expect(asksForSomething(text)).toBe(false);
  });

  it.each(['i ', '. ', 'hi there . ', '\n', 'a', 'want to ', '你'])(
    'is recognized quickly in 2 MiB of %j',
    (piece) => {
      const text = piece.repeat(Math.ceil((2 * 1_024 * 1_024) / piece.length));
      expect(quickestCpuMs(() => isSmallTalk(text))).toBeLessThan(50);
    },
  );
});
