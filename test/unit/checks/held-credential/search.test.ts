import { describe, expect, it } from 'vitest';
import { createCredentialSearch } from '../../../../src/checks/held-credential/check.ts';

const VALUE = 'sk-held-8Gk2pQ9vXw4Zt/R7yLm3N+a';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz';
const search = createCredentialSearch(VALUE);

/** The value in each possible encoding, inside other bytes. */
const WRITTEN = {
  'as it is': VALUE,
  'percent-encoded': encodeURIComponent(VALUE),
  'in hex': Buffer.from(VALUE).toString('hex'),
  'in capital hex': Buffer.from(VALUE).toString('hex').toUpperCase(),
  'with an invisible character': `${VALUE.slice(0, 9)}\u200b${VALUE.slice(9)}`,
  ...Object.fromEntries(
    ['', 'a', 'ab'].map((before) => [
      `in Base64 after ${String(before.length)} bytes`,
      Buffer.from(`${before}${VALUE}`).toString('base64').replace(/=+$/, ''),
    ]),
  ),
};

/** The longest part of `written` that is in none of the findings. */
async function leftOf(text: string): Promise<string> {
  const [searched] = await search.findAll([text]);
  let left = text;
  for (const { start, end } of (searched?.findings ?? []).toReversed())
    left = left.slice(0, start) + '***' + left.slice(end);
  return left;
}

describe('the search for a credential in an answer', () => {
  it.each(Object.entries(WRITTEN))('finds it %s', async (_how, written) => {
    const left = await leftOf(`your key is ${written}, they say`);
    expect(left).toMatch(/^your key is .{0,8}\*\*\*.{0,8}, they say$/u);
  });

  it.each(Object.entries(WRITTEN))('releases no beginning of it in a stream: %s', (_how, written) => {
    const text = `key ${written}`;
    const [finding] = search.stream.find(text);
    if (finding === undefined) throw new Error('it must be found');
    for (let cut = finding.start + 1; cut < finding.end; cut += 1) {
      expect(search.stream.openFrom(text.slice(0, cut))).toBeLessThanOrEqual(finding.start);
    }
  });

  it('finds the parts of a credential that has several', async () => {
    const parts = createCredentialSearch(`AKIAIOSFODNN7EXAMPLE:${SECRET}`);
    for (const part of ['AKIAIOSFODNN7EXAMPLE', SECRET]) {
      const [searched] = await parts.findAll([`the part ${part} of it`]);
      expect(searched?.findings).toMatchObject([{ start: 9, end: 9 + part.length, rule: 'held_credential' }]);
    }
  });

  it('ignores other texts, and values as short as words', async () => {
    expect(await leftOf('sk-held-8Gk2 is the beginning of one')).toContain('8Gk2');
    const [searched] = await createCredentialSearch('ollama').findAll(['ollama answers']);
    expect(searched).toEqual({ findings: [], isWhole: true });
  });
});
