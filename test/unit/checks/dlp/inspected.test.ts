import { describe, expect, it } from 'vitest';
import { createFindContentAll } from '../../../../src/detectors/content.ts';
import { MAX_FINDINGS } from '../../../../src/inspect/inspected.ts';
import { inspectRequest } from '../../../../src/inspect/request.ts';
import { inspectAnswer } from '../../../../src/inspect/whole/answer.ts';
import { parsed } from '../../../support/exchange.ts';
import { answered } from './rig.ts';

const findAll = createFindContentAll(
  { scanSecrets: true, scanPii: true, scanNetwork: false, allowedHosts: [] },
  MAX_FINDINGS,
);

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `m${String(index)}@example.com`);

async function maskedAnswer(list: readonly string[]): Promise<number> {
  const { answer } = answered({ body: { list } });
  const inspected = await inspectAnswer(answer.whole, answer.facts, findAll);
  if (!('mask' in inspected)) throw new Error('it was denied');
  const apply = await inspected.mask();
  apply();
  return answer.whole.edits.length;
}

describe('the masks in one body', () => {
  it('are bounded in an answer, by their places', async () => {
    expect(await maskedAnswer(addresses(30_000))).toBe(30_000);
    await expect(maskedAnswer(addresses(50_000))).rejects.toMatchObject({
      type: 'upstream_unavailable',
      message: expect.stringContaining('more to mask') as string,
    });
  });

  it('are bounded in a request, with advice', async () => {
    const request = (count: number) =>
      parsed({
        body: { model: 'm', messages: [{ role: 'user', content: 'hello' }], another: addresses(count) },
      });
    const { found } = await inspectRequest(request(20_000), findAll);
    expect(found.length).toBeGreaterThan(0);
    await expect(inspectRequest(request(50_000), findAll)).rejects.toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('split it into smaller requests') as string,
    });
  });

  it('treat a text that is both arguments and prose as prose', async () => {
    const text = '[4111111111111111]';
    const call = { id: 'c', type: 'function', function: { name: 'pay', arguments: text } };
    const messages = [
      { role: 'assistant', tool_calls: [call] },
      { role: 'user', content: text },
    ];
    const request = parsed({ body: { model: 'm', messages } });
    const { mask } = await inspectRequest(request, findAll);
    (await mask())();
    expect(request.edits.map((edit) => edit.kind === 'set' && edit.value)).toEqual(['[***]', '[***]']);
  });

  it('include numbers that are too long for a double, in any place', async () => {
    const text = '{"a":[{"card":4111111111111111.0001},{"card":[4111111111111111.0005]}],"b":"x"}';
    const { answer } = answered({ body: text });
    const inspected = await inspectAnswer(answer.whole, answer.facts, findAll);
    if (!('mask' in inspected)) throw new Error('it was denied');
    const apply = await inspected.mask();
    apply();
    expect(answer.whole.edits.map(({ path }) => path)).toEqual([
      ['a', 0, 'card'],
      ['a', 1, 'card', 0],
    ]);
  });
});
