import { expect, it } from 'vitest';
import { ScanBatch } from '../../../../src/inspect/scan/scan-batch.ts';

it('takes the findings of very many texts in turns', async () => {
  const found = { detector: 'secrets', class: 'secret', rule: 'r', start: 0, end: 3 } as const;
  const batch = new ScanBatch((texts) => texts.map(() => ({ findings: [found], isWhole: true })), 'answer');
  for (let index = 0; index < 100_000; index += 1) batch.add(`a@b.c${String(index)}`);
  const search = batch.search();
  expect(search).toBeInstanceOf(Promise);
  await search;
  expect(batch.masked('a@b.c99999')).toBe('***.c99999');
});
