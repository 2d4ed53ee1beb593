import { describe, expect, it } from 'vitest';
import { mask, maskInSteps, maskSecrets } from '../../../src/detectors/mask.ts';
import { runNow } from '../../../src/turns.ts';
import { makeSecret, seededRandom } from './secrets/samples.ts';

describe('mask', () => {
  it.each([
    ['nothing', '', 'abcdefgh'],
    ['one span', '2-4', 'ab***efgh'],
    ['a span at either end', '0-2 6-8', '***cdef***'],
    ['spans that overlap', '1-4 3-6', 'a***gh'],
    ['spans that touch', '1-3 3-5', 'a***fgh'],
    ['a span within another', '1-7 2-3', 'a***h'],
    ['spans out of order', '5-6 1-2', 'a***cde***gh'],
    ['the whole text', '0-8', '***'],
  ])('replaces %s', (_what, spans, expected) => {
    const findings = Array.from(spans.matchAll(/(\d)-(\d)/g), ([, start, end]) => ({
      start: Number(start),
      end: Number(end),
    }));
    expect(mask('abcdefgh', findings)).toBe(expected);
  });

  it('masks very many findings in steps', () => {
    const findings = Array.from({ length: 20_001 }, (_, at) => ({
      start: 3 * at,
      end: 3 * at + 2,
    })).toReversed();
    const steps = maskInSteps('ab.'.repeat(20_001), findings);
    expect(steps.next()).toEqual({ done: false, value: undefined });
    expect(runNow(steps)).toBe('***.'.repeat(20_001));
  });
});

describe('maskSecrets', () => {
  it('keeps everything but the secret, names included', () => {
    const { secret } = makeSecret('cohere_api_key', seededRandom(1));
    expect(maskSecrets(`{"cohere_api_key": "${secret}", "n": 1}`)).toBe('{"cohere_api_key": "***", "n": 1}');
  });

  it('returns a text without secrets unchanged', () => {
    const text = 'Nothing here: sk-learn, ASIA, https://example.org/?q=1 \\u0041';
    expect(maskSecrets(text)).toBe(text);
  });
});
