import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keptValues, type Candidate } from '../../../cli/completion/kept-values.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gw-test-kept-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const SCOPE = { kind: 'keys', prefix: 'pl', key: '', path: undefined };
const filesOf = (): string[] => readdirSync(join(home, 'ai-firewall-gateway'));

async function ask(scope: Partial<typeof SCOPE>, found: readonly Candidate[] | undefined) {
  let asked = false;
  const values = await keptValues({ XDG_CACHE_HOME: home }, { ...SCOPE, ...scope }, () => {
    asked = true;
    return Promise.resolve(found);
  });
  return { asked, values };
}

describe('values for completion', () => {
  it('are looked up once, and again when they are old', async () => {
    expect(await ask({}, [['planner', 'x']])).toEqual({ asked: true, values: [['planner', 'x']] });
    expect(await ask({}, [])).toEqual({ asked: false, values: [['planner', 'x']] });
    for (const file of filesOf()) utimesSync(join(home, 'ai-firewall-gateway', file), 1, 1);
    expect(await ask({}, [])).toEqual({ asked: true, values: [] });
  });

  it('are separate by kind, prefix and key', async () => {
    await ask({}, [['planner', '']]);
    for (const scope of [{ kind: 'servers' }, { prefix: 'pla' }, { key: 'planner' }])
      expect(await ask(scope, [])).toEqual({ asked: true, values: [] });
  });

  it('are not read again immediately if Redis is unreachable', async () => {
    await ask({}, undefined);
    expect(await ask({}, [['planner', '']])).toEqual({ asked: false, values: [] });
  });

  it('occupy only a few files', async () => {
    for (let nth = 0; nth < 100; nth += 1) await ask({ prefix: String(nth) }, []);
    expect(filesOf().length).toBeLessThanOrEqual(32);
  });
});
