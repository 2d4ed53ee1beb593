import { PassThrough } from 'node:stream';
import { writeFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it, expect } from 'vitest';
import { main } from '../../../../cli/main.ts';
import { createTestCa } from '../../../support/certs.ts';
import { startRecorder } from '../../../support/recorder.ts';
import { type Ended, PROXY_KEY, PROVIDER_KEY, run, folder, script, MAIN, running } from './rig.ts';

/** For calls that start no command. */
async function inProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const keys = { GATEWAY_PROVIDER: 'openai', GATEWAY_PROXY_KEY: PROXY_KEY, OPENAI_API_KEY: PROVIDER_KEY };
  const code = await main(args, { stdin: process.stdin, stdout, stderr, env: { ...keys, ...env } });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

export function processes(): void {
  const flags = ['--gateway-url', 'http://127.0.0.1:1'];

  it.each([
    [['sh', '-c', 'exit 0'], 0],
    [['sh', '-c', 'exit 42'], 42],
    [['sh', '-c', 'kill -TERM $$'], 143],
  ])('%j exits with its own code', async (command, code) => {
    expect((await run({ flags, command })).code).toBe(code);
  });

  it('reports a command that cannot be run, as shells do', async () => {
    writeFileSync(join(folder, 'not-executable'), '', { mode: 0o600 });
    const missing = await run({ flags, command: ['no-such-command'] });
    expect(missing).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('no-such-command: command not found'),
    });
    expect((await run({ flags, command: [join(folder, 'not-executable')] })).code).toBe(126);
  });

  it('gets the input and outputs of exec', async () => {
    const { stdout, stderr } = await run({ flags, command: ['sh', '-c', 'cat; echo err >&2'], stdin: 'in' });
    expect({ stdout, stderr }).toEqual({ stdout: 'in', stderr: 'err\n' });
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('gets %s once, and exec waits for it', async (signal) => {
    const source = `process.on('${signal}', () => { console.log('told'); setTimeout(() => process.exit(9), 50); });
      setInterval(() => 0, 1000); console.log('ready');`;
    let sent = false;
    const { code, stdout } = await run({
      flags,
      command: script(source),
      onOutput: (text, pid) => {
        if (!sent && text.includes('ready')) process.kill(pid, signal);
        sent ||= text.includes('ready');
      },
    });
    expect({ code, stdout }).toEqual({ code: 9, stdout: 'ready\ntold\n' });
  });

  it('runs on exec’s terminal, whose Ctrl-C reaches only the command', async () => {
    const python = `
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b''
while True:
    try:
        chunk = os.read(fd, 1024)
    except OSError:
        break
    if not chunk: break
    if b'ready' in chunk: os.write(fd, b'\\x03')
    seen += chunk
print(seen.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
    const source = `let times = 0;
      process.on('SIGINT', () => { times += 1; setTimeout(() => process.exit(10 + times), 200); });
      setInterval(() => 0, 1000); console.log(process.stdin.isTTY, process.stdout.isTTY, 'ready');`;
    const child = spawn(
      'python3',
      ['-c', python, process.execPath, MAIN, 'exec', ...flags, '--', 'node', '-e', source],
      {
        env: {
          PATH: process.env['PATH'],
          GATEWAY_PROVIDER: 'ollama',
          GATEWAY_PROXY_KEY: PROXY_KEY,
          XDG_CACHE_HOME: folder,
        },
      },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(child, 'close');
    expect(output).toMatch(/^true true ready/);
    expect(output.trim()).toMatch(/ 11$/);
  });

  it('exposes no key in a command line, and leaves nothing behind', async () => {
    writeFileSync(
      join(folder, 'codex'),
      '#!/bin/sh\ncat /proc/$$/cmdline /proc/$PPID/cmdline | tr "\\0" " "\n',
      {
        mode: 0o700,
      },
    );
    const { stdout, code } = await run({
      flags,
      command: ['codex', 'exec', 'hello'],
      env: { GATEWAY_PROVIDER: '' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /-c model_providers\.gateway\.base_url="http:\/\/127\.0\.0\.1:\d+\/openai\/v1".* exec hello/,
    );
    for (const secret of [PROXY_KEY, PROVIDER_KEY, 'sk-exec-']) expect(stdout).not.toContain(secret);
    const { stdout: left } = await run({ flags, command: ['ls', join(folder, 'ai-firewall-gateway')] });
    expect(left.split('\n').filter((name) => name.startsWith('exec-'))).toHaveLength(1);
  });
}

export function wrongCalls(): void {
  it.each([
    [[], {}, /missing required argument 'command'/],
    [
      ['x'],
      { GATEWAY_PROVIDER: '' },
      /set GATEWAY_PROVIDER for x: one of openai, anthropic, gemini, .*openrouter/,
    ],
    [['x'], { GATEWAY_PROVIDER: 'nobody' }, /GATEWAY_PROVIDER must be one of openai/],
    [['claude'], {}, /claude cannot use openai/],
    [['x'], { GATEWAY_PROXY_KEY: '' }, /set GATEWAY_PROXY_KEY to a proxy key/],
    [['x'], { GATEWAY_PROXY_KEY: 'sk-mistaken' }, /GATEWAY_PROXY_KEY is not a proxy key/],
    [['x'], { OPENAI_API_KEY: '' }, /set the key of openai: OPENAI_API_KEY, GATEWAY_PROVIDER_KEY/],
    [['x'], { OPENAI_API_KEY: 'a\nb' }, /the key of openai: /],
  ] as const)('%j with %o is one line and exit code 2', async (command, env, line) => {
    const named = { GATEWAY_URL: 'http://127.0.0.1:1', ...env };
    const { code, stderr, stdout } = await inProcess(['exec', '--', ...command], named);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(line);
    expect(stderr).not.toMatch(/sk-mistaken|\n\s+at /);
  });

  it('requires a gateway address from a file or a URL: a program that listens on 8080 gets no key', async () => {
    const { code, stderr } = await run({ command: ['sh', '-c', 'echo started'], env: { GATEWAY_URL: '' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/no gateway URL is set.*--gateway-url .*GATEWAY_URL.*--config.*gateway init/);
  });

  it('uses the address in the configuration', async () => {
    const file = join(folder, 'named.yaml');
    writeFileSync(file, 'server: { port: 1 }\n');
    const ended = await inProcess(['--config', file, 'exec', '--', 'true']);
    expect(ended.stderr).not.toContain('no gateway URL is set');
  });

  it.each([
    [['--model-map', 'fast'], 2, /--model-map must be pairs/],
    [['--model-override', ''], 2, /--model-override must be a model name/],
    [['--gateway-url', 'nonsense'], 1, /the gateway URL must be an http or https URL/],
    [['--gateway-url', 'http://gateway.example'], 1, /keys would be sent over plain HTTP/],
    [
      ['--gateway-url', 'https://a.example', '--ca-file', '/no/such'],
      1,
      /--ca-file: \/no\/such cannot be read/,
    ],
  ] as const)('%j exits with %i', async (flags, code, line) => {
    const ended = await inProcess(['exec', ...flags, '--', 'true']);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(line);
  });
}

export function overTls(): void {
  it('trusts the system, a file, and the certificate in a gateway.yaml', async () => {
    const ca = await createTestCa();
    const own = await ca.issue('gateway');
    const elsewhere = await ca.issue('elsewhere', ['other.example']);
    const [gateway, other] = [await startRecorder(undefined, own), await startRecorder(undefined, elsewhere)];
    running.push(gateway, other);
    const command = script(`await show(await ask('{}'))`);
    try {
      const unknown = await run({ flags: ['--gateway-url', gateway.url], command });
      expect(unknown.stdout).toMatch(/^503 .*CERT|SIGNATURE/);
      expect(gateway.requests).toEqual([]);
      const flags = ['--ca-file', ca.caFile];
      expect((await run({ flags: [...flags, '--gateway-url', gateway.url], command })).stdout).toBe(
        '200 {}\n',
      );
      const wrongName = await run({ flags: [...flags, '--gateway-url', other.url], command });
      expect(wrongName.stdout).toMatch(/^503 .*ALTNAME/);

      const config = join(folder, 'gateway.yaml');
      const { certFile, keyFile } = elsewhere;
      const listener = `port: ${new URL(other.url).port}, tls: {cert_file: ${certFile}, key_file: ${keyFile}}`;
      writeFileSync(config, `server: {${listener}}\n`);
      expect((await run({ command })).stdout).toBe('200 {}\n');
      // Another certificate of this authority, for the same address, is not the gateway's.
      writeFileSync(
        config,
        readFileSync(config, 'utf8').replace(/port: \d+/, `port: ${new URL(gateway.url).port}`),
      );
      const swapped = await run({ command });
      expect(swapped.stdout).toMatch(/^503 /);
    } finally {
      rmSync(join(folder, 'gateway.yaml'), { force: true });
      ca.close();
    }
  });
}
