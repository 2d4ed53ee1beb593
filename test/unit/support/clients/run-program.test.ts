import { tmpdir } from 'node:os';

import { describe, expect, it } from 'vitest';

import { runProgram } from '../../../support/clients/run-program.ts';
import { allProcesses } from '../../../support/processes.ts';

const node = (source: string, options: Partial<Parameters<typeof runProgram>[2]> = {}) =>
  runProgram(process.execPath, ['--eval', source], { cwd: tmpdir(), ...options });

describe('a program that is run', () => {
  it('gets its input and its own environment, and nothing of ours', async () => {
    process.env['OURS'] = 'secret';
    const source = `process.stdin.pipe(process.stdout); console.error(process.env.OURS, process.env.GIVEN); process.exitCode = 3`;
    const result = await node(source, { stdin: 'hello', env: { GIVEN: 'yes' } });
    delete process.env['OURS'];
    expect(result).toMatchObject({ code: 3, stdout: 'hello', stderr: 'undefined yes\n', timedOut: false });
  });

  it('is killed at its time limit, with all that it has started', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])`;
    const result = await node(`console.log(${child}.pid); setTimeout(() => {}, 60_000)`, {
      timeoutMs: 1_500,
    });
    expect(result).toMatchObject({ code: null, timedOut: true });
    const pid = Number(result.stdout);
    expect(pid).toBeGreaterThan(0);
    // A zombie stays in the list, without a command.
    const running = (): string | undefined => allProcesses().find((one) => one.pid === pid)?.command;
    await expect.poll(() => running() ?? '').toBe('');
  });

  it('that does not exist is an error', async () => {
    await expect(runProgram('/does/not/exist', [], { cwd: tmpdir() })).rejects.toThrow('ENOENT');
  });
});
