import { describe, expect, it } from 'vitest';
import { publishedSamples } from '../../../../src/detectors/secrets/published-samples.ts';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { MAX_SECRET_CHARS } from '../../../../src/detectors/secrets/secret-rules.ts';
import { findSecrets, findSecretsAll, secretsDetector } from '../../../../src/detectors/secrets/secrets.ts';
import { makeSecret, seededRandom } from './samples.ts';
import { brokenAt } from '../stream-contract.ts';

const samples = [...publishedSamples];
const { secret: real } = makeSecret('github_token', seededRandom(3));

/** Adds a name to a sample that is recognized only by its name. */
function written(sample: string): string {
  return sample.endsWith('==') ? `AccountKey=${sample}` : sample;
}

/** The same form with another character in its last part. */
function altered(sample: string): string {
  const at = sample.length - 6;
  return `${sample.slice(0, at)}${sample[at] === '7' ? '3' : '7'}${sample.slice(at + 1)}`;
}

describe('a published sample', () => {
  it('comes from jwt.io, Stripe, GitHub and others', () => {
    expect(samples).toContain('sk_test_4eC39HqLyjWDarjtT1zdp7dc');
    expect(samples.filter((sample) => sample.startsWith('eyJ')).length).toBeGreaterThan(5);
  });

  it.each(samples)(
    '%s is not a secret, in prose, in code, in JSON and in JSON within JSON',
    async (sample) => {
      const json = JSON.stringify({ token: `Bearer ${written(sample)}` });
      const texts = [
        written(sample),
        `Use ${written(sample)}, as the manual does.`,
        `key = "${written(sample)}";`,
        json,
        JSON.stringify({ arguments: json }),
      ];
      for (const text of texts) expect(findSecrets(text)).toEqual([]);
      expect((await findSecretsAll(texts)).flat()).toEqual([]);
    },
  );

  it.each(samples)('%s with one other character is a secret', (sample) => {
    expect(maskSecrets(`key: ${written(altered(sample))}`)).not.toContain(altered(sample).slice(-12));
  });

  it.each(samples)('%s hides no secret beside it', (sample) => {
    for (const text of [
      `${written(sample)} ${real}`,
      `${real} ${written(sample)}`,
      `"${written(sample)}","${real}"`,
    ]) {
      expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([real]);
    }
  });

  it.each(samples)('%s is decided alike in a stream, at any cut', (sample) => {
    const text = `see ${written(sample)} and ${real} and ${written(altered(sample))} end`;
    const everyCut = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(brokenAt(secretsDetector, text, everyCut, MAX_SECRET_CHARS)).toEqual([]);
  });

  it.each([
    'AKIAIOSFODNN7EXAMPLE',
    'AKIAI44QH8DHBEXAMPLE',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'aws_secret_access_key = je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
  ])('of AWS is marked as an example: %s', (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it('with more characters is a secret', () => {
    expect(maskSecrets('sk_test_4eC39HqLyjWDarjtT1zdp7dc0Q')).toBe('***');
    const token = samples.find((sample) => sample.startsWith('eyJ')) ?? '';
    expect(maskSecrets(`${token}Qx`)).toBe('***');
  });
});
