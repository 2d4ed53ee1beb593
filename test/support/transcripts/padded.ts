import { createHash } from 'node:crypto';
import { agent, prompts, times, type Transcript } from './transcript.ts';

/** Loops that add something new around each call, by accident or to avoid detection. */

const TASK = 'Summarise the quarterly report for the finance team.';

/** Repeatable randomness. */
const digest = (nth: number): string =>
  createHash('sha256')
    .update(`padding ${String(nth)}`)
    .digest('hex');
const base64 = (nth: number): string => Buffer.from(digest(nth), 'hex').toString('base64');
const uuid = (nth: number): string =>
  digest(nth).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
/** Random letters. */
const letters = (nth: number, length: number): string =>
  [...Buffer.from(digest(nth), 'hex').subarray(0, length)]
    .map((byte) => String.fromCharCode(97 + (byte % 26)))
    .join('');

const GREETINGS = [
  'Hello!',
  'Good morning, dear team.',
  'Hi there, hope you are well.',
  'Hey, thanks a lot in advance!',
  'Dear friend, I would appreciate your kind help.',
  'Okay, once again please.',
];

const FILLER = ['blah', 'lorem ipsum dolor sit amet', 'and so on and on', 'hmm', 'please', 'potato salad'];

export const PADDED: readonly Transcript[] = [
  prompts(
    'adds random hexadecimal',
    times(7, (nth) => `${TASK} ${digest(nth).slice(0, 12)}`),
    3,
  ),
  prompts(
    'adds random base64',
    times(7, (nth) => `${TASK}\n\n${base64(nth)}`),
    3,
  ),
  prompts(
    'adds a UUID in front',
    times(7, (nth) => `[${uuid(nth)}] ${TASK}`),
    3,
  ),
  prompts(
    'adds random letters',
    times(9, (nth) => `${TASK} ${letters(nth, 10)}`),
    3,
  ),
  prompts(
    'adds random words of letters at both ends',
    times(9, (nth) => `${letters(nth, 8)} ${TASK} ${letters(nth + 50, 9)}`),
    3,
  ),
  prompts(
    'counts its attempts',
    times(7, (nth) => `Attempt ${String(nth + 17)}: ${TASK}`),
    3,
  ),
  prompts(
    'counts its attempts in words',
    ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh'].map((word) => `${word} try. ${TASK}`),
    3,
  ),
  prompts(
    'adds the time',
    times(7, (nth) => `${TASK} (Monday, 3 March 2025 10:0${String(nth)}:4${String(nth)} UTC)`),
    3,
  ),
  prompts(
    'repeats filler',
    times(
      7,
      (nth) =>
        `${TASK} ${Array(3 + nth)
          .fill(FILLER[nth % FILLER.length])
          .join(' ')}`,
    ),
    3,
  ),
  prompts(
    'greets anew',
    times(7, (nth) => `${GREETINGS[nth % GREETINGS.length] ?? ''} ${TASK} Thank you!`),
    3,
  ),
  prompts(
    'adds signs and blanks',
    times(7, (nth) => `${TASK.replaceAll(' ', ' '.repeat(nth + 1))} ${'!?.-*'.repeat(nth)}`),
    3,
  ),
  prompts(
    'adds all of these',
    times(
      8,
      (nth) =>
        `${GREETINGS[nth % 6] ?? ''} (${String(nth + 1)}/99) ${TASK} ${'...'.repeat(nth)} ${letters(nth, 7)}-${uuid(nth)}`,
    ),
    3,
  ),
  agent('repeats a tool call with a random id, and gets a random trace id', {
    instruction: 'Check whether the mail server works.',
    steps: times(8, (nth) => ({
      tool: 'http_get',
      args: { url: 'https://mail.example.org/health', nonce: digest(nth).slice(0, 8) },
      result: `502 Bad Gateway, trace ${digest(nth + 99).slice(0, 16)}, took 0.${String(nth)}31 s`,
    })),
  }),
  agent('runs a failing command whose output counts the time', {
    instruction: 'Make the tests pass.',
    steps: times(8, (nth) => ({
      tool: 'shell',
      args: { command: 'pytest tests/unit' },
      result: `ImportError: cannot import name "Widget" from "shop"\n1 failed in 2.${String(nth)}7s`,
    })),
  }),
];
