import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, type Ended } from '../../support/run-cli.ts';

const MAIN = new URL('../../../cli/main.ts', import.meta.url).pathname;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the program as a user does: in its own process, in a folder without a gateway.yaml. */
function gateway(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runProgram(MAIN, args, { cwd: folder, env: { REDIS_ADDR: '127.0.0.1:1', ...env } });
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('a wrong call', () => {
  it.each([
    [['keys', 'create', '--name', 'x'], /^gateway: required option '--provider <provider>' not specified$/],
    [['keys', 'create', '--provider', 'openai'], /^gateway: required option '--name <name>' not specified$/],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'nobody'],
      /^gateway: .*Allowed choices are openai, anthropic/,
    ],
    [['keys', 'revoke'], /^gateway: missing required argument 'key'$/],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'openai', '--tags', 'a'],
      /^gateway: --tags: write key=value pairs.*such as/,
    ],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'openai', '--allowed-tools', 'a,,b'],
      /--allowed-tools: "a,,b" has an empty entry/,
    ],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'openai', '--allowed-providers', 'x'],
      /--allowed-providers: "x" is not a provider\. Choose from openai/,
    ],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'openai', '--allowed-tools', 'a,none'],
      /--allowed-tools: none cannot be combined with other entries/,
    ],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'openai', '--trust', 'user'],
      /--trust: "user" .*Choose from system/,
    ],
    [
      ['keys', 'create', '--name', 'x', '--provider', 'openai', '--expires-in', 'soon'],
      /--expires-in: "soon" is not a duration.*for example: --expires-in 1h/,
    ],
    [['quarantine', 'set', 'x', '--for', '5'], /--for: "5" is not a duration.*for example: --for 1h/],
    [['budget', 'set', 'x'], /no limit given.*for example: --daily 5/],
    [['budget', 'status', '--over', 'most'], /--over must be a percentage, for example: --over 80/],
    [['sessions', 'end', 'x', 'y', '--as', ''], /--as must be 1 to 128 visible characters, such as/],
    [['keys', 'list', '--output', 'xml'], /Allowed choices are json, table/],
    [['config', 'chek'], /unknown command 'chek'/],
  ])('%j is one clear line and exit code 2', async (args, line) => {
    const { code, stdout, stderr } = await gateway(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trim().split('\n')[0]).toMatch(line);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('help and version', () => {
  it('explain the command with an example', async () => {
    const { code, stdout } = await gateway(['keys', 'create', '--help']);
    expect(code).toBe(0);
    for (const flag of ['--name', '--provider', '--allowed-tools', '--expires-in', '--output', 'Example:']) {
      expect(stdout).toContain(flag);
    }
  });

  it('print the version and the commit', async () => {
    const { code, stdout } = await gateway(['config', '--version']).then(() => gateway(['--version']));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+ \([0-9a-f]{12}(-dirty)?\)\n$/),
    });
  });
});

describe('without Redis', () => {
  it('a command on keys names the searched locations, and exits with 1', async () => {
    const { code, stderr } = await gateway([
      'keys',
      'list',
      '--config',
      file('fast.yaml', 'redis: {dial_timeout: 300ms}'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gateway: Redis at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.*Start Redis at this address, or correct redis\.addr \(REDIS_ADDR\).*\n$/,
    );
  });
});

describe('gateway config', () => {
  it('check lists every problem, and exits with 1', async () => {
    const path = file('bad.yaml', 'server: {prot: 1, log_level: loud}\n');
    const { code, stdout } = await gateway(['config', 'check', '--config', path, '--output', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      problems: [{ path: 'server.prot' }, { path: 'server.log_level' }],
    });
  });

  it('check reports what serve would refuse', async () => {
    const path = file('lost.yaml', 'policy: {enabled: true, policy_file: ./nowhere.yaml}\n');
    const { code, stdout } = await gateway(['config', 'check', '--config', path], {
      SERVER_INSECURE_DEV: 'true',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/lost\.yaml:1:25: policy\.policy_file: is missing or cannot be read/);
  });

  it('check reports overrides of unknown rules', async () => {
    const overrides = 'overrides: {block-cvv: report, no-such: "off"}';
    const path = file('odd.yaml', `policy: {enabled: true, presets: [safety], ${overrides}}\n`);
    const { code, stdout } = await gateway(['config', 'check', '--config', path], {
      SERVER_INSECURE_DEV: 'true',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/odd\.yaml:1:\d+: policy\.overrides: no-such matches no rule/);
    expect(stdout).not.toContain('block-cvv');
  });

  it('check accepts a valid file', async () => {
    const path = file('good.yaml', 'server: {port: 8081}\n');
    const { code, stdout } = await gateway(['config', 'check', '--config', path], {
      SERVER_INSECURE_DEV: 'true',
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path} is valid.\n` });
  });

  it('print shows the effective file without a secret', async () => {
    const { code, stdout } = await gateway(['config', 'print', '--output', 'json'], {
      REDIS_PASSWORD: 'hunter2',
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain('hunter2');
    expect(JSON.parse(stdout)).toMatchObject({
      server: { port: 8080, read_timeout: '30s' },
      redis: { password: '***', addr: '127.0.0.1:1' },
    });
  });

  it('print is YAML that config check accepts', async () => {
    const { stdout } = await gateway(['config', 'print']);
    const again = await gateway(['config', 'check', '--config', file('printed.yaml', stdout)], {
      SERVER_INSECURE_DEV: 'true',
    });
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/unknown key|must /) });
  });

  it('schema prints a JSON Schema', async () => {
    const { stdout } = await gateway(['config', 'schema']);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'gateway.yaml', type: 'object' });
  });
});
