import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { STEP_CHARS } from '../../../../src/detectors/secrets/search.ts';
import { findSecrets, findSecretsAll } from '../../../../src/detectors/secrets/secrets.ts';
import { makeSecret, seededRandom } from './samples.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';
import { rules } from './spans.ts';

describe('findSecrets', () => {
  it('finds a secret at any offset of prose, and the mask removes it', () => {
    const random = seededRandom(7);
    const prose = 'It was late, and “nobody” had read the log: 漢字 🙂 \\n {"a": 1}\n';
    for (let offset = 0; offset <= prose.length; offset += 1) {
      const { text, secret } = makeSecret(rules[offset % rules.length] ?? '', random);
      const around = `${prose.slice(0, offset)} ${text} ${prose.slice(offset)}`;
      expect(maskSecrets(around)).not.toContain(secret);
    }
  });

  it('finds a secret after a percent-encoded sign', () => {
    const { secret } = makeSecret('anthropic_api_key', seededRandom(8));
    expect(maskSecrets(`q=key%3D${secret}`)).toBe('q=key%3D***');
  });

  it('returns findings of the class secret in order, none inside another', () => {
    const random = seededRandom(9);
    const text = rules.map((rule) => makeSecret(rule, random).text).join('\n');
    const findings = findSecrets(text);
    expect(findings.length).toBeGreaterThanOrEqual(rules.length);
    for (const [index, finding] of findings.entries()) {
      expect(finding).toMatchObject({ detector: 'secrets', class: 'secret' });
      expect(finding.end).toBeGreaterThan(findings[index - 1]?.end ?? 0);
    }
  });

  it('finds nothing in a masked text', () => {
    const random = seededRandom(10);
    const text = rules.map((rule) => makeSecret(rule, random).text).join(' ');
    expect(findSecrets(maskSecrets(text))).toEqual([]);
  });

  it('never throws', () => {
    const random = seededRandom(11);
    const pieces = [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'sk-',
      '\\',
      '\\u00',
      '\ud800',
      '"',
      '\0',
      'Q~',
      ':AA',
      '=',
    ];
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: 40 }, () => pieces[Math.floor(random() * pieces.length)]).join('');
      expect(() => findSecrets(text)).not.toThrow();
    }
  });

  it('finds a secret after a keyword repeated without a space', () => {
    const { secret } = makeSecret('gitlab_token', seededRandom(12));
    expect(maskSecrets(`${'glpat-'.repeat(3)}${secret}`)).not.toContain(secret.slice(6));
  });

  it('finds the same, wherever a long text is cut into steps', () => {
    const random = seededRandom(14);
    for (const rule of rules) {
      const text = ` ${makeSecret(rule, random).text} `;
      const expected = findSecrets(text);
      for (const at of [0, 1, 30, 36, 37, 60, text.length - 1]) {
        const before = ' '.repeat(STEP_CHARS - at);
        const moved = findSecrets(before + text + before).map(({ start, end, ...kind }) => ({
          ...kind,
          start: start - before.length,
          end: end - before.length,
        }));
        expect(moved).toEqual(expected);
      }
    }
  });

  it('finds a later secret in a run that is longer than any secret', () => {
    const { secret } = makeSecret('bedrock_short_lived_api_key', seededRandom(15));
    const run = `${secret}/${'aB3/'.repeat(2500)}${secret}`;
    expect(maskSecrets(`key ${run} end`)).not.toContain(secret.slice(16));
  });

  it('returns findings that do not overlap', () => {
    const { secret } = makeSecret('gitlab_token', seededRandom(16));
    const text = `${`${secret}-`.repeat(12)}${secret}, x`;
    const spans = findSecrets(text).map(({ start, end }) => [start, end]);
    expect(spans.flat()).toEqual(spans.flat().toSorted((a, b) => a - b));
    expect(maskSecrets(text)).toBe('***, x');
  });

  it('takes linear time in the slowest cases', () => {
    const hostile = [
      'glpat-',
      '-sk-ant-api03-',
      '/fm2_',
      'T3BlbkFJ',
      'ey',
      '\\n',
      '\\',
      'a',
      '-----BEGIN PRIVATE KEY-----',
    ];
    const times = hostile.map((piece) => {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      return quickestCpuMs(() => findSecrets(text), 1);
    });
    expect(Math.max(...times)).toBeLessThan(1000);
  });
});

describe('findSecretsAll', () => {
  it('returns the same as findSecrets for every text', async () => {
    const random = seededRandom(13);
    const long = Array.from(
      { length: 400 },
      (_, at) => makeSecret(rules[at % rules.length] ?? '', random).text,
    ).join(' .\n');
    const texts = ['', 'nothing', long, JSON.stringify(long)];
    expect(await findSecretsAll(texts)).toEqual(texts.map((text) => findSecrets(text)));
  });
});
