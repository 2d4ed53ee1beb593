import { expect, it } from 'vitest';
import { onceItWorks } from '../../../../src/policy/rego/engine-module.ts';

it('tries again after a failure, and keeps a success', async () => {
  let attempts = 0;
  const made = onceItWorks(async () => {
    attempts++;
    await Promise.resolve();
    if (attempts === 1) throw new Error('no such file');
    return { attempts };
  });
  await expect(Promise.all([made(), made()])).rejects.toThrow('no such file');
  expect(attempts).toBe(1);
  const [first, second] = await Promise.all([made(), made()]);
  expect(first).toEqual({ attempts: 2 });
  expect(second).toBe(first);
  expect(await made()).toBe(first);
});
