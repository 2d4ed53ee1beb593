import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gatewayProgram } from '../../support/parts.ts';
import { freePort } from '../../support/ports.ts';
import { commandRunner, type Ended } from '../../support/run-cli.ts';
import { startTestRedis } from '../../support/redis.ts';

const run = commandRunner(await gatewayProgram());
const redis = await startTestRedis({ password: 'cli-test' });
afterAll(() => redis.close());
const folder = await mkdtemp(join(tmpdir(), 'gw-test-doctor-'));
const config = join(folder, 'gateway.yaml');
afterAll(async () => {
  await rm(folder, { recursive: true });
});

function gateway(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return run(args, { REDIS_ADDR: redis.addr, REDIS_PASSWORD: 'cli-test', ...env });
}

describe('gateway doctor', () => {
  it('approves a healthy set-up, and describes each engine', async () => {
    const { code, stdout } = await gateway(['doctor', '--output', 'json'], { SERVER_INSECURE_DEV: 'true' });
    expect(JSON.parse(stdout)).toMatchObject({
      healthy: true,
      findings: expect.arrayContaining([
        {
          check: 'redis',
          status: 'ok',
          message: expect.stringMatching(/^Redis \d+\.\d+\.\d+, .*noeviction$/),
        },
        { check: 'engines', status: 'ok', message: 'loop detection: on, action warn' },
        {
          check: 'engines',
          status: 'ok',
          message: 'risk engine: on, locks a key above 75, blocks it above 90',
        },
        { check: 'engines', status: 'off', message: 'drift detection: off' },
        { check: 'engines', status: 'off', message: 'DLP gate: off' },
        { check: 'engines', status: 'off', message: 'tool response inspector: off' },
        { check: 'engines', status: 'warn', message: expect.stringMatching(/^nothing inspects requests/) },
        { check: 'engines', status: 'warn', message: expect.stringMatching(/^nothing inspects answers/) },
        {
          check: 'configuration',
          status: 'ok',
          message: expect.stringMatching(/create one with: gateway init$/),
        },
      ]),
    });
    expect(code).toBe(0);
  });

  it('names guarded credentials of MCP servers without their values', async () => {
    const mcp = {
      enabled: true,
      servers: [
        {
          name: 'files',
          url: 'https://mcp.test/mcp?code=parameter-9876',
          headers: { 'X-Pat': 'header-value-9876', 'X-Pin': '9876', 'X-Team': 'engineers9876' },
          public: ['X-Team'],
        },
        { name: 'open', url: 'https://mcp.test/', headers: { 'X-Pat': 'open9876' }, suppress: ['secrets'] },
      ],
    };
    await writeFile(config, JSON.stringify({ mcp }));
    const env = { SERVER_INSECURE_DEV: 'true' };
    const { code, stdout } = await gateway(['--config', config, 'doctor', '--output', 'json'], env);
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    expect(findings.filter(({ check }) => check === 'credentials')).toEqual([
      {
        check: 'credentials',
        status: 'ok',
        message: 'files: header X-Pat, parameter code: found when a server repeats them',
      },
      { check: 'credentials', status: 'ok', message: 'files: header X-Team: public, may be repeated' },
      {
        check: 'credentials',
        status: 'warn',
        message: 'files: header X-Pin: shorter than 8 characters, too short to distinguish from other text',
      },
      {
        check: 'credentials',
        status: 'warn',
        message: 'open: header X-Pat: may be repeated (mcp.servers[].suppress)',
      },
    ]);
    expect([code, stdout.includes('9876')]).toEqual([0, false]);
  });

  it('shows each policy source with its rules, and the mode', async () => {
    async function shown(server = ''): Promise<string> {
      await writeFile(config, `policy: { enabled: true, presets: [safety, pci] }\n${server}`);
      return (await gateway(['doctor', '--config', config], { SERVER_INSECURE_DEV: 'true' })).stdout;
    }
    expect(await shown()).toMatch(
      /✓ policies +preset safety: \d\d rules\n✓ policies +preset pci: \d+ rules\n✓ policies +on disk: sha256:\w+\n✓ policies +default action: allow \(.+\)\n✓ policies +Rego engine: off/,
    );
    expect(await shown('server: { shadow_mode: true }\n')).toMatch(/! policies +shadow mode: .* sha256:/);
  });

  it('refuses a Redis that evicts, and names the remedy', async () => {
    await redis.configSet('maxmemory-policy', 'allkeys-lru');
    const { code, stdout } = await gateway(['doctor'], { SERVER_INSECURE_DEV: 'true' });
    await redis.configSet('maxmemory-policy', 'noeviction');
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ redis .*CONFIG SET maxmemory-policy noeviction/);
  });

  it('measures Redis latency, tries each enabled engine, and reports that no gateway runs', async () => {
    const engines = 'mcp: { enabled: true }\npolicy: { enabled: true, presets: [safety] }';
    const adminPort = await freePort();
    async function examined(dlp: string) {
      await writeFile(config, `server: { admin_port: ${String(adminPort)}, dlp: ${dlp} }\n${engines}\n`);
      const args = ['doctor', '--output', 'json', '--config', config];
      const { code, stdout } = await gateway(args, { SERVER_INSECURE_DEV: 'true' });
      return { code, ...(JSON.parse(stdout) as { findings: Record<string, string>[] }) };
    }
    const { code, findings } = await examined('{ enabled: true }');
    const shown = findings.map(({ check, status, message }) => `${status} ${check} ${message}`);
    for (const line of [
      /^(ok|warn) redis latency \d+\.\d ms/,
      /^ok redis its clock agrees with this machine's \(-?\d+ ms\)/,
      /^ok probes normalization: words obfuscated in three ways: found/,
      /^ok probes loop detection: 4 equal calls/,
      /^ok probes risk engine: /,
      /^ok probes DLP gate: a secret, personal data in answers: found/,
      /^ok probes tool response inspector: /,
      /^ok probes policy engine: calls that safety must deny: found/,
      /^ok gateway not running/,
    ]) {
      expect(shown).toContainEqual(expect.stringMatching(line));
    }
    expect(code).toBe(0);
    // Enabled without any scan, it would protect nothing.
    const broken = await examined('{ enabled: true, scan_secrets: false, scan_pii: false }');
    expect(broken.code).toBe(1);
    expect(broken.findings).toContainEqual({
      check: 'probes',
      status: 'fail',
      message: expect.stringMatching(/^DLP gate: .*not found; check server\.dlp/),
    });
  });

  it('exits with 2 without a configuration, and uses no colour outside a terminal', async () => {
    const { code, stdout } = await gateway(['doctor', '--config', '/no/such.yaml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(/^✗ configuration /) });
    expect(stdout).not.toContain('\u001b');
  });

  it('distinguishes off from ok, and names gateway init in an empty folder', async () => {
    const { code, stdout } = await gateway(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^– engines +DLP gate: off$/m);
    expect(stdout).toMatch(/^! engines +nothing inspects requests/m);
    expect(stdout).toMatch(/^✗ configuration .*TLS is required.*gateway init/m);
    expect(stdout).not.toMatch(/✓.*: off$/m);
  });

  it('reports an unreachable Redis', async () => {
    const { code, stdout } = await gateway(['doctor'], {
      REDIS_ADDR: '127.0.0.1:1',
      SERVER_INSECURE_DEV: 'true',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ redis +Redis at 127\.0\.0\.1:1 cannot be used/);
  });
});
