import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { probeCredentials } from '../../src/offline-credentials.ts';
import { defaultConfig } from '../support/default-config.ts';

const KEY = 'zK9q-w3E+r7T/y2U=4i';
const SERVER = {
  name: 'files',
  url: `https://mcp.test/s/N2Q4YjE1ZjAtYzQ5My00NDE1/mcp?code=${encodeURIComponent(KEY)}&v=1&tenant=soup-kitchen`,
  headers: { 'X-Pat': KEY, Authorization: 'Bearer swordfish', 'X-Pin': '1234', 'X-Team': 'engineering' },
  public: ['x-team', 'tenant'],
};

async function probed(mcp: ConfigInput['mcp']) {
  return probeCredentials(defaultConfig({ mcp: { enabled: true, ...mcp } }));
}

describe('the probe of credentials of MCP servers', () => {
  it('names guarded and unguarded credentials, and proves it by echoes', async () => {
    const guarded = ['header X-Pat', 'header Authorization', 'parameter code', 'path segment 2'];
    const told = await probed({ servers: [SERVER, { name: 'bare', url: 'https://other.test/' }] });
    expect(told).toEqual([
      {
        server: 'files',
        guarded,
        public: ['header X-Team', 'parameter tenant'],
        short: ['header X-Pin', 'parameter v'],
        mayTell: false,
        unproven: [],
      },
      { server: 'bare', guarded: [], public: [], short: [], mayTell: false, unproven: [] },
    ]);
    expect(JSON.stringify(told)).not.toMatch(/zK9q|swordfish|1234|N2Q4/);
  });

  it('finds credentials that the inspector passes', async () => {
    const suppressed = { ...SERVER, suppress: ['server_credential'] };
    const [told] = await probed({ servers: [suppressed] });
    expect(told).toMatchObject({ mayTell: true });
    expect(told?.unproven).toEqual(told?.guarded);
    const [off] = await probed({ servers: [SERVER], inspector: { enabled: false } });
    expect(off?.unproven).toEqual(off?.guarded);
  });

  it('tests each of very many servers, regardless of the scores and locks that they would cause', async () => {
    const servers = Array.from({ length: 40 }, (_, nth) => ({ ...SERVER, name: `s${String(nth)}` }));
    const told = await probed({ servers });
    expect(told.flatMap(({ unproven }) => unproven)).toEqual([]);
  });

  it.each<[string, ConfigInput]>([
    ['loops are blocked', { loop_detection: { action: 'block', fingerprint: { threshold: 1 } } }],
    ['a key has one session', { session: { max_per_key: 1 } }],
  ])('tests each if %s: no echo affects another', async (_, config) => {
    const servers = [SERVER, { ...SERVER, name: 'more' }];
    const told = await probeCredentials(defaultConfig({ ...config, mcp: { enabled: true, servers } }));
    expect(told.flatMap(({ unproven }) => unproven)).toEqual([]);
  });
});
