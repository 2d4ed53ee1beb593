import { expect, it } from 'vitest';
import { textsOfServerMessage } from '../../../src/mcp/server-texts.ts';

it.each([
  ['empty strings', ''],
  ['words of the protocol', { type: 'text' }],
  ['texts', 'a'],
])('reads very many %s in turns', async (_, value) => {
  let isRead = false;
  const reading = textsOfServerMessage(Array.from({ length: 10_000 }, () => value)).then(() => {
    isRead = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isRead).toBe(false);
  await reading;
});
