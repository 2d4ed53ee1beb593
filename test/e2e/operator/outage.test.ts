import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { chat, expectAccessible, startPageRig, type PageRig } from './rig.ts';

describe("the operator's page: while Redis is gone", () => {
  let rig: PageRig;
  beforeAll(async () => {
    rig = await startPageRig();
  });
  afterAll(() => rig.close());

  it('reports it, keeps its data, and recovers', async () => {
    const key = await rig.gateway.createKey({ name: 'planner' });
    await chat(rig.gateway, key);
    const { page, close } = await rig.open('now');
    await page.getByRole('heading', { name: 'Gateways' }).waitFor();
    await rig.policy.redis.pause();
    const alert = page.getByRole('alert').filter({ hasText: 'The page keeps trying.' });
    await alert.waitFor();
    expect(await page.getByRole('heading', { name: 'Gateways' }).count()).toBe(1);
    await expectAccessible(page);
    await rig.policy.redis.resume();
    await alert.waitFor({ state: 'detached' });
    await close();
  });
});
