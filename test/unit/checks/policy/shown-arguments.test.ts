import { describe, expect, it } from 'vitest';

import { createShown } from '../../../../src/checks/policy/shown-arguments.ts';
import { parsed } from '../../../support/exchange.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';

const { arguments: show, prompt } = await createShown();
const random = seededRandom(1);
const { secret: AWS } = makeSecret('aws_access_key_id', random);
const { secret: PEM } = makeSecret('pem_private_key', random);

describe('arguments that approvers see', () => {
  it('are complete JSON', () => {
    const given = { path: '/tmp/x', force: true, lines: [1, 2], 'a "b"': null };
    expect(JSON.parse(show(given))).toEqual(given);
    expect(show({})).toBe('{}');
    expect(show(undefined)).toBe('');
  });

  it.each([
    ['a secret in a value', { key: `use ${AWS} now` }, AWS],
    ['a secret of several lines, escaped in JSON', { file: `key:\n${PEM}\n` }, PEM.slice(40, 80)],
    ['a secret as a member name', { [AWS]: 1 }, AWS],
    ['a deeply nested secret', { list: [{ list: [[AWS]] }] }, AWS],
    ['an email address', { to: 'ann.smith@corp-mail.com' }, 'ann.smith'],
    ['a card number written as a number', { card: 4_111_111_111_111_111 }, '4111111111111111'],
    ['a seed phrase', { words: `${'abandon '.repeat(11)}about` }, 'abandon'],
    ['a wallet key', { key: 'L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1' }, 'L4rK1yDt'],
    ['an IBAN', { iban: 'DE89 3704 0044 0532 0130 00' }, '0532'],
  ])('have no %s', (_what, given, hidden) => {
    const shown = show(given);
    expect(shown).not.toContain(hidden);
    expect(shown).toContain('***');
  });

  it('are bounded: long ones are cut, very long ones not shown', () => {
    const long = show({ text: `${'word '.repeat(1_000)}` });
    expect(long).toMatch(/ …$/);
    expect(long.length).toBeLessThan(2_060);
    const cut = show({ text: `${'word '.repeat(404)} ${AWS} ${'word '.repeat(400)}` });
    expect(cut).not.toContain(AWS.slice(0, 8));
    expect(show({ text: `${AWS} ${'x'.repeat(9_000)}` })).toMatch(
      /^\(9\d{3} characters: too long to show\)$/,
    );
  });
});

describe('the prompt that approvers see', () => {
  const asked = (...messages: readonly object[]) =>
    prompt(parsed({ body: { model: 'gpt-4o', messages } }).request);

  it('is the last text of the user, not of others', () => {
    expect(
      asked(
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Delete a table.' },
        { role: 'assistant', content: 'Which one?' },
        { role: 'user', content: 'The last one.' },
        { role: 'assistant', content: 'Sure.' },
      ),
    ).toBe('The last one.');
    expect(asked({ role: 'system', content: 'Be brief.' })).toBe('');
  });

  it('is masked and bounded', () => {
    const one = (content: string) => asked({ role: 'user', content });
    expect(one(`use ${AWS} for ann.smith@corp-mail.com`)).toBe('use *** for ***');
    expect(one(`${'word '.repeat(404)} ${AWS} ${'word '.repeat(400)}`)).not.toContain(AWS.slice(0, 8));
    expect(one('word '.repeat(1_000)).length).toBeLessThan(2_060);
    expect(one('x'.repeat(9_000))).toBe('(9000 characters: too long to show)');
  });
});
