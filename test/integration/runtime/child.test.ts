import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { superviseChild, type ChildExit, type SupervisedChild } from '../../../src/runtime/child.ts';
import { createRunDirectory, prepareSocketFolder } from '../../../src/runtime/run-directory.ts';

const backoff = { initialMs: 10, maxMs: 80, resetAfterMs: 60_000, random: () => 0 };
const sh = (script: string) => () => spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
function gone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe('a supervised child', () => {
  const children: SupervisedChild[] = [];
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.stop(0)));
  });
  function supervise(options: Parameters<typeof superviseChild>[0]): SupervisedChild {
    const child = superviseChild({ backoff, ...options });
    children.push(child);
    return child;
  }

  it('is restarted after each exit, waiting longer each time, up to the cap', async () => {
    const exits: ChildExit[] = [];
    const child = supervise({ start: sh('exit 3'), onExit: (exit) => exits.push(exit) });
    await vi.waitFor(() => {
      expect(exits.length).toBeGreaterThanOrEqual(5);
    }, 5_000);
    expect(exits.slice(0, 5).map((exit) => exit.retryInMs)).toEqual([10, 20, 40, 80, 80]);
    expect(exits[0]?.code).toBe(3);
    expect(child.restarts).toBeGreaterThanOrEqual(4);
  });

  it('is retried when its program does not exist', async () => {
    const exits: ChildExit[] = [];
    supervise({ start: () => spawn('/no/such/program'), onExit: (exit) => exits.push(exit) });
    await vi.waitFor(() => {
      expect(exits.length).toBeGreaterThanOrEqual(2);
    });
  });

  it('passes its lines to the caller, also a last one without a line end', async () => {
    const lines: string[] = [];
    supervise({
      start: sh('echo one; echo two >&2; printf three; exec sleep 5'),
      onLine: (line, from) => lines.push(`${from} ${line}`),
    });
    await vi.waitFor(() => {
      expect(lines).toContain('stdout one');
      expect(lines).toContain('stderr two');
    });
    await children.at(-1)?.stop(0);
    await vi.waitFor(() => {
      expect(lines).toContain('stdout three');
    });
  });

  it('exits at SIGTERM, and is not restarted', async () => {
    const child = supervise({ start: sh('exec sleep 30') });
    const pid = child.pid ?? 0;
    await child.stop(5_000);
    expect(gone(pid)).toBe(true);
    expect(child.state).toBe('stopped');
    expect(child.restarts).toBe(0);
  });

  it('is killed if it ignores SIGTERM for the grace period', async () => {
    const lines: string[] = [];
    const child = supervise({
      start: sh('trap "" TERM; echo deaf; while :; do sleep 0.05; done'),
      onLine: (line) => lines.push(line),
    });
    await vi.waitFor(() => {
      expect(lines).toEqual(['deaf']);
    });
    const pid = child.pid ?? 0;
    const before = performance.now();
    await child.stop(150);
    expect(performance.now() - before).toBeGreaterThan(140);
    expect(gone(pid)).toBe(true);
  });

  it('stops while it waits for its next start', async () => {
    const exits: ChildExit[] = [];
    const child = supervise({
      start: sh('exit 1'),
      onExit: (exit) => exits.push(exit),
      backoff: { ...backoff, initialMs: 60_000, maxMs: 60_000 },
    });
    await vi.waitFor(() => {
      expect(child.state).toBe('waiting');
    });
    await child.stop(1_000);
    expect(child.state).toBe('stopped');
  });

  it('is not restarted once it was stopped', async () => {
    const initialMs = 100;
    let starts = 0;
    const child = supervise({
      start: () => {
        starts += 1;
        return sh('exit 1')();
      },
      backoff: { ...backoff, initialMs, maxMs: initialMs },
    });
    await vi.waitFor(() => {
      expect(child.state).toBe('waiting');
    });
    const before = starts;
    await child.stop(1_000);
    // A later timer with a longer time: the next start would come before it.
    await delay(2 * initialMs);
    expect([starts, child.state]).toEqual([before, 'stopped']);
  });

  it('is watched by the guard as long as it lives', async () => {
    const told: string[] = [];
    const child = supervise({
      start: sh('read line'),
      guard: {
        watch: (pid) => told.push(`+ ${String(pid)}`),
        unwatch: (pid) => told.push(`- ${String(pid)}`),
        watchDirectory: () => undefined,
        release: () => undefined,
      },
    });
    const pid = String(child.pid);
    expect(told).toEqual([`+ ${pid}`]);
    process.kill(Number(child.pid), 'SIGKILL');
    await vi.waitFor(() => {
      expect(told.slice(0, 2)).toEqual([`+ ${pid}`, `- ${pid}`]);
    });
  });
});

describe('a process that dies suddenly', () => {
  it('takes its watched children and folders with it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gw-test-guard-'));
    const guardModule = new URL('../../../src/runtime/guard.ts', import.meta.url).href;
    const script = `
      import { spawn } from 'node:child_process';
      import { startGuard } from '${guardModule}';
      const guard = startGuard();
      const start = () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).pid;
      const kept = start(), lost = start();
      guard.watch(kept); guard.watch(lost); guard.unwatch(kept);
      guard.watchDirectory(${JSON.stringify(directory)});
      console.log(JSON.stringify({ kept, lost }));
      setInterval(() => undefined, 1000);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise<string>((resolve) => {
      parent.stdout.once('data', (data: Buffer) => {
        resolve(data.toString());
      });
    });
    const { kept, lost } = JSON.parse(line) as { kept: number; lost: number };
    try {
      parent.kill('SIGKILL');
      await vi.waitFor(() => {
        expect(gone(lost)).toBe(true);
      }, 5_000);
      expect(gone(kept)).toBe(false);
      await vi.waitFor(async () => {
        await expect(stat(directory)).rejects.toThrow(/ENOENT/);
      }, 5_000);
    } finally {
      process.kill(kept, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  });
});

it('a released guard ends nothing', async () => {
  const guardModule = new URL('../../../src/runtime/guard.ts', import.meta.url).href;
  const script = `
    import { spawn } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    import { startGuard } from '${guardModule}';
    const guard = startGuard();
    const shell = Number(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8'));
    const kept = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    kept.unref();
    guard.watch(kept.pid);
    guard.release();
    console.log(JSON.stringify({ shell, kept: kept.pid }));
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const { shell, kept } = JSON.parse(line.toString()) as { shell: number; kept: number };
  try {
    await vi.waitFor(() => {
      expect([shell > 0, gone(shell)]).toEqual([true, true]);
    }, 10_000);
    expect(gone(kept)).toBe(false);
  } finally {
    process.kill(kept, 'SIGKILL');
  }
});

describe('the run directory', () => {
  it('is only for this user, and its sockets fit into an address', async () => {
    const run = await createRunDirectory({});
    try {
      expect((await stat(run.path)).mode & 0o777).toBe(0o700);
      expect(Buffer.byteLength(run.file('worker-255.sock'))).toBeLessThan(100);
    } finally {
      await run.remove();
    }
    await expect(stat(run.path)).rejects.toThrow(/ENOENT/);
  });

  it('of a shared socket is private if newly created, and unchanged if it existed', async () => {
    const base = await mkdtemp(join(tmpdir(), 'gw-test-run-'));
    const modeOf = async (folder: string) => (await stat(folder)).mode & 0o777;
    try {
      await prepareSocketFolder(join(base, 'sockets'));
      expect(await modeOf(join(base, 'sockets'))).toBe(0o700);
      await chmod(join(base, 'sockets'), 0o750);
      await prepareSocketFolder(join(base, 'sockets'));
      expect(await modeOf(join(base, 'sockets'))).toBe(0o750);
    } finally {
      await rm(base, { recursive: true });
    }
  });

  it('is created elsewhere if the preferred path is too long for a socket', async () => {
    const base = await mkdtemp(join(tmpdir(), 'gw-test-'.padEnd(90, 'x')));
    const run = await createRunDirectory({ XDG_RUNTIME_DIR: base });
    try {
      expect(run.path.startsWith(base)).toBe(false);
    } finally {
      await run.remove();
      await rm(base, { recursive: true, force: true });
    }
  });
});
