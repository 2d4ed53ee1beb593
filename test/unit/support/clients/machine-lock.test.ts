import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { underLock } from '../../../support/clients/machine-lock.ts';

const MODULE = join(import.meta.dirname, '../../../support/clients/machine-lock.ts');

describe('a lock of this machine', () => {
  it('admits one at a time, also after a failure, and returns the result of the work', async () => {
    const name = `test-${String(Math.random())}`;
    let inside = 0;
    let most = 0;
    async function work(index: number): Promise<number> {
      inside += 1;
      most = Math.max(most, inside);
      await delay(5);
      inside -= 1;
      if (index === 2) throw new Error('no luck');
      return index;
    }
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => underLock(name, () => work(index))),
    );
    expect(most).toBe(1);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(results[3]).toEqual({ status: 'fulfilled', value: 3 });
  });

  it('is released by a killed process', async () => {
    const name = `test-${String(Math.random())}`;
    const held = `import { underLock } from ${JSON.stringify(MODULE)};
      await underLock(${JSON.stringify(name)}, () => { console.log('held'); return new Promise((r) => setTimeout(r, 60_000)); });`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', held]);
    await once(holder.stdout, 'data');
    let entered = false;
    const waiting = underLock(name, () => Promise.resolve((entered = true)));
    await delay(100);
    expect(entered).toBe(false);
    holder.kill('SIGKILL');
    await waiting;
    expect(entered).toBe(true);
  });
});
