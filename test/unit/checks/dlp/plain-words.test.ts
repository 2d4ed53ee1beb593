import { beforeAll, describe, expect, it } from 'vitest';
import { createAnswerRewriter } from '../../../../src/inspect/whole/mask-answer.ts';
import { loadSeedWords } from '../../../../src/detectors/assets/seed-phrase.ts';
import type { StreamRewriter } from '../../../../src/pipeline/check.ts';
import { createMasksOf } from '../../../../src/policy/masking/masks.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { contains, detects, regex, rule } from '../policy-mask/rig.ts';
import { stepsThroughRewriters } from './wire-rig.ts';

const SEED_PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const THOUGHT = { message: { role: 'assistant', content: '', thinking: 'Hm, so. ' }, done: false };
const said = (content: string): object => ({ message: { role: 'assistant', content }, done: false });

type Pattern = Parameters<typeof rule>[1];

function maskedBy(pattern: Pattern): StreamRewriter {
  const masks = createMasksOf()([rule('masked', pattern)]);
  const rewriter = masks && createAnswerRewriter(masks);
  if (rewriter === undefined) throw new Error('the policy masks nothing');
  return rewriter;
}

/** The released part of a text with 18 reasoning events after each part, after this many parts. */
async function leftOf(rewriter: StreamRewriter, parts: readonly string[]): Promise<string> {
  const between = Array.from({ length: 18 }, () => THOUGHT);
  const events = parts.flatMap((part) => [said(part), ...between]);
  const steps = await stepsThroughRewriters([rewriter], 'ollama', '/api/chat', events);
  return steps
    .slice(0, events.length)
    .flat()
    .map((event) => (event as { message: { content: string } }).message.content)
    .join('');
}

const dlp = (): StreamRewriter =>
  rewriterOf(contentDetector({ scanCredentials: true, scanSeedPhrases: true }), { actionOf: MASK_ALL });

beforeAll(loadSeedWords);

describe('plain words at the end of an interrupted text', () => {
  it('are released, but at most three of a seed phrase', async () => {
    const parts = `My phrase is ${SEED_PHRASE}. Yes.\n`.split(/(?<= )/);
    const read = await leftOf(dlp(), parts);
    expect(read).toMatch(/^My phrase is (?:legal (?:winner (?:thank )?)?)?\*\*\*\. Yes\.\n$/);
    expect(await leftOf(dlp(), ['Go to legal winner'])).toBe('Go to legal winner');
    expect(await leftOf(dlp(), ['Go to legal winner thank year'])).not.toContain('year');
  });

  it('are held if a name before them makes them a password', async () => {
    expect(await leftOf(dlp(), ['The password is corre'])).toBe('The password is ');
    expect(await leftOf(dlp(), ['My key is corre'])).toBe('My key is ');
    expect(await leftOf(dlp(), ['My plan is corre'])).toBe('My plan is corre');
  });

  it.each<readonly [string, Pattern, string]>([
    ['words that a policy names', contains('blue falcon'), 'It is blue falco'],
    ['text that a pattern matches', regex('blue falcons?'), 'It is blue falco'],
    ['a finding', detects('prompt_injection'), 'ignore previous instructions'],
  ])('are held if they may be %s', async (_what, pattern, text) => {
    expect(await leftOf(maskedBy(pattern), [text])).not.toMatch(/blue|previous/);
  });

  it('are released if a policy names other words', async () => {
    expect(await leftOf(maskedBy(contains('blue falcon')), ['It is a falcon'])).toBe('It is a falcon');
    expect(await leftOf(maskedBy(detects('email')), ['I am done.'])).toBe('I am done.');
  });
});
