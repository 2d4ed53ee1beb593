import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { MAX_SECRET_CHARS, secretRules } from '../../../../src/detectors/secrets/secret-rules.ts';
import { makeSecret, secretSamples, seededRandom } from './samples.ts';
import { DRAWS, rules, spansOf } from './spans.ts';

const heads = secretRules.filter((rule) => rule.anchor === 'head');

describe('every rule', () => {
  it('has a sample, and each sample has a rule', () => {
    expect(Object.keys(secretSamples).toSorted()).toEqual(rules.toSorted());
  });

  it.each(rules)('%s finds its secret whole, in prose and in code', (rule) => {
    const random = seededRandom(rules.indexOf(rule));
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { text, secret } = makeSecret(rule, random);
      for (const around of [text, `Mine is ${text}, keep it.`, `run("${text}");\n`, `a\n  ${text}\nb`]) {
        expect(spansOf(around)).toContainEqual({ rule, found: secret });
      }
    }
  });

  it.each(rules)('%s: no secret is left when JSON wrote it, once or twice, with any escapes', (rule) => {
    const random = seededRandom(1000 + rules.indexOf(rule));
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { text, secret } = makeSecret(rule, random);
      const once = JSON.stringify({ a: `line\n${text}\n` });
      const escaped = once.replaceAll('-', String.raw`\u002d`).replaceAll('/', String.raw`\/`);
      const twice = JSON.stringify({ arguments: once });
      expect(JSON.stringify(JSON.parse(maskSecrets(once)))).not.toContain(
        JSON.stringify(secret).slice(1, -1),
      );
      expect(JSON.parse(maskSecrets(escaped)).a).not.toContain(secret);
      expect(JSON.parse(JSON.parse(maskSecrets(twice)).arguments).a).not.toContain(secret);
    }
  });

  it.each(rules.filter((rule) => !/jwt|pem/.test(rule)))(
    '%s matches neither its beginning nor a placeholder',
    (rule) => {
      const random = seededRandom(2000 + rules.indexOf(rule));
      const { text, secret } = makeSecret(rule, random);
      const foundByRule = (changed: string): unknown[] =>
        spansOf(text.replace(secret, changed)).filter((span) => span.rule === rule);
      expect(foundByRule(secret.slice(0, Math.min(12, secret.length / 2)))).toEqual([]);
      expect(foundByRule(secret.slice(0, 4) + secret.slice(4).replaceAll(/[A-Za-z0-9]/g, 'x'))).toEqual([]);
    },
  );

  it.each(heads.filter((rule) => rule.followsWord === undefined))(
    '$id does not begin in the middle of a word',
    ({ id }) => {
      const { secret } = makeSecret(id, seededRandom(3));
      expect(spansOf(`word${secret}`).filter((span) => span.found === secret)).toEqual([]);
    },
  );

  it.each(heads.filter((rule) => rule.followsWord !== undefined))(
    '$id is found directly after a word that announces it, not after other letters',
    ({ id }) => {
      const random = seededRandom(3);
      for (let draw = 0; draw < DRAWS; draw += 1) {
        const { text, secret } = makeSecret(id, random);
        for (const word of ['key', 'TOKEN', 'myApiKey', 'Secret', 'is', 'the ', 'a=b&key'])
          expect(spansOf(`${word}${text} x`)).toContainEqual({ rule: id, found: secret });
        if (secret.startsWith('-')) continue;
        for (const other of ['x', '7', 'word', 'key7', '3key', 'aB3dE5fG', `${'w'.repeat(22)}key`])
          expect(spansOf(`${other}${text} x`).filter(({ found }) => found === secret)).toEqual([]);
      }
    },
  );

  it.each(heads.filter((rule) => rule.precedesWord !== undefined))(
    '$id is found directly before a short word, not if it continues',
    ({ id }) => {
      const random = seededRandom(4);
      for (let draw = 0; draw < DRAWS; draw += 1) {
        const { text, secret } = makeSecret(id, random);
        for (const word of ['and', 'is', 'please'])
          expect(maskSecrets(`${text}${word} it`)).not.toContain(secret);
        for (const more of ['x', 'WXYZ', 'aB3', 'x7', 'somewhatlonger'])
          expect(spansOf(`${text}${more}`).filter(({ found }) => found === secret)).toEqual([]);
      }
    },
  );

  it.each(rules)('%s: no secret is longer than the window it names', (rule) => {
    const { text } = makeSecret(rule, seededRandom(4));
    const maxChars = secretRules.find(({ id }) => id === rule)?.maxChars ?? 0;
    expect(text.length).toBeLessThanOrEqual(maxChars + 64);
    expect(maxChars).toBeLessThanOrEqual(MAX_SECRET_CHARS);
  });
});
