import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { runFile } from '../../../src/runtime/program.ts';
import { call } from '../../contracts/session-rig.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { runProgram, type Ended } from '../../support/run-cli.ts';
import { findShell, onTerminal, type ShellName } from '../../support/shells.ts';

const waiting = newEscalation({ id: '5eca1a7e-0000-4000-8000-000000000001' });

let redis: TestRedis;
let folder = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  redis = await startTestRedis();
  const { client } = redis;
  const deadlineMs = 5_000;
  const keys = createKeyStore(client);
  const [planner] = await Promise.all([
    keys.create({ name: 'planner', provider: 'openai' }),
    keys.create({ name: 'plan:night shift', provider: 'openai' }),
    keys.create({ name: 'research', provider: 'openai' }),
  ]);
  const { keyHash } = planner.record;
  const sessions = createRedisSessionStore({ client, deadlineMs, ttlMs: 3_600_000, maxPerKey: 100 });
  for (const sessionId of ['run-17', 'run-18', 'nightly']) await sessions.open(call({ keyHash, sessionId }));
  const escalations = createRedisEscalationStore({ client, deadlineMs });
  await escalations.open(waiting, { waitMs: 600_000, maxPending: 6, maxPendingPerKey: 2 });

  folder = mkdtempSync(join(tmpdir(), 'gw-test-completion-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'work', 'policies-of-ops'), { recursive: true });
  writeFileSync(join(folder, 'work', 'policy one.yaml'), '');
  writeFileSync(
    join(folder, 'work', 'gateway.yaml'),
    `redis: { addr: '${redis.addr}' }\nmcp: { servers: [{ name: weather, url: 'https://weather.example/mcp' }] }\n`,
  );
  const program = join(folder, 'bin', 'gateway');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${inject('parts').gateway}' "$@"\n`);
  chmodSync(program, 0o755);
  env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    TERM: 'xterm',
    LC_ALL: 'C.UTF-8',
  };
}, 300_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redis.close();
});

/** Starts a shell without its user's files, loads the script, and shows a prompt that no candidate contains. */
const TERMINALS = {
  bash: {
    flags: ['--norc', '--noprofile', '-i'],
    source: "bind 'set show-all-if-ambiguous on'; PS1='Type 'here; source <(gateway completion bash)",
  },
  zsh: {
    flags: ['-f', '-i'],
    source: "autoload -U compinit; compinit -u -D; PS1='Type 'here; source <(gateway completion zsh)",
  },
} as const;
const PROMPT = 'Type here';

/** Text before Tab; the expected screen; text that must not appear. */
const ROWS: readonly (readonly [typed: string, shown: readonly string[], hidden?: string])[] = [
  ['gateway keys ', ['create', 'rotate', 'update'], '--as'],
  ['gateway keys revoke --', ['--output', '--config'], '--provider'],
  ['gateway keys create --provider open', ['openai', 'openrouter'], 'mistral'],
  ['gateway keys create --trust ', ['developer', 'system'], '--as'],
  ['gateway policy check --presets safety,mc', ['mcp_sandbox'], 'zero_trust'],
  ['gateway policy test --output ju', ['junit']],
  ['gateway completion ', ['bash', 'fish', 'zsh']],
  ['gateway --config ', ['policy', 'policies-of-ops', 'gateway.yaml']],
  ['gateway verify --policy-dir pol', ['policies-of-ops']],
  ['gateway keys show plan', ['planner', 'night'], 'research'],
  ['gateway budget set --daily 5 ', ['planner', 'research']],
  ['gateway sessions show planner run-1', ['run-17', 'run-18'], 'nightly'],
  ['gateway --config gateway.yaml sessions end planner nigh', ['nightly']],
  ['gateway escalations approve 5eca', ['1a7e-0000']],
  ['gateway mcp pins list we', ['ather']],
];

function expectShown(screens: readonly string[]): void {
  for (const [row, [typed, shown, hidden]] of ROWS.entries()) {
    const screen = screens[row] ?? '';
    for (const text of shown) expect(screen, typed).toContain(text);
    if (hidden !== undefined) expect(screen, typed).not.toContain(hidden);
  }
}

describe('Tab completes commands, options, their values, files, and names stored in Redis', () => {
  it.each(Object.entries(TERMINALS))(
    'in %s',
    async (name, { flags, source }) => {
      const shell = await findShell(name as ShellName);
      // Ctrl-U clears the line.
      const steps = ROWS.map(([typed, shown]) => ({ keys: `\x15${typed}\t`, until: shown.at(-1) ?? '' }));
      const [, ...screens] = await onTerminal(
        [shell.path, ...flags],
        { cwd: join(folder, 'work'), env: { ...env, ...shell.env } },
        [{ keys: `${shell.setUp}${source}\n`, until: PROMPT }, ...steps],
      );
      expectShown(screens);
    },
    240_000,
  );

  it('in fish', async () => {
    const shell = await findShell('fish');
    const asks = ROWS.map(([typed]) => `complete -C '${typed}'; echo ${PROMPT}`);
    const script = `${shell.setUp}${['gateway completion fish | source', ...asks].join('\n')}`;
    const { ok, stdout, stderr } = await runFile(shell.path, ['--no-config', '-c', script], {
      timeoutMs: 200_000,
      cwd: join(folder, 'work'),
      env: { ...env, ...shell.env },
    });
    expect([ok, stderr]).toEqual([true, '']);
    expectShown(stdout.split(PROMPT));
  }, 240_000);
});

function complete(...args: readonly string[]): Promise<Ended> {
  const cwd = join(folder, 'work');
  return runProgram(inject('parts').gateway, ['complete', ...args], { cwd, env });
}

describe('gateway complete', () => {
  it('prints values with their meanings, and caches them for the next Tab', async () => {
    rmSync(join(folder, 'cache'), { recursive: true, force: true });
    expect((await complete('keys', 'res')).stdout).toMatch(/^research\tsha256:[0-9a-f]{12}\n$/);
    const home = join(folder, 'cache', 'ai-firewall-gateway');
    const [kept = ''] = readdirSync(home).filter((file) => file.startsWith('completion-'));
    expect(statSync(join(home, kept)).mode & 0o777).toBe(0o600);
    await redis.pause();
    expect((await complete('keys', 'res')).stdout).toContain('research');
    await redis.resume();
  });

  it('prints nothing, quickly, without Redis or with a broken configuration', async () => {
    await redis.pause();
    const started = performance.now();
    expect(await complete('keys', 'never-asked')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(performance.now() - started).toBeLessThan(8_000);
    await redis.resume();
    writeFileSync(join(folder, 'work', 'broken.yaml'), 'redis: [');
    for (const kind of ['keys', 'servers', 'escalations'])
      expect(await complete(kind, 'x', '--config', 'broken.yaml')).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    expect(await complete('sessions', '', 'no-such-key')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('prints at most 200 of very many names', async () => {
    const names = Array.from({ length: 5_000 }, (_, nth) => [`many-${String(nth)}`, 'sha256:0'] as const);
    await redis.client.hset('gateway:key_names', Object.fromEntries(names));
    const { stdout } = await complete('keys', 'many-');
    expect(stdout.trim().split('\n')).toHaveLength(200);
    expect((await complete('keys', 'many-4[')).stdout).toBe('');
  });
});

it('a missing shell is one sentence with the remedy', async () => {
  const nowhere = { PATH: '/nowhere', XDG_CACHE_HOME: folder };
  await expect(findShell('fish', nowhere)).rejects.toThrow(
    'fish is missing; put fish on PATH (Debian: apt-get install fish)',
  );
});
