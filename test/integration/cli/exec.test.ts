import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { main } from '../../../cli/main.ts';
import { createTestCa } from '../../support/certs.ts';
import { gatewayProgram } from '../../support/parts.ts';
import { startRecorder } from '../../support/recorder.ts';
import type { Answerer, Recorder } from '../../support/recorder.ts';

const MAIN = await gatewayProgram();
const PROXY_KEY = `gw-${'p'.repeat(43)}`;
const PROVIDER_KEY = 'sk-the-real-key-of-the-provider';
const BODY = '{"model":"gpt-4o","messages":[]}';

let folder: string;
const running: Recorder[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gw-exec-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function startGateway(answer?: Answerer): Promise<Recorder> {
  const gateway = await startRecorder(answer);
  running.push(gateway);
  return gateway;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Call {
  readonly flags?: readonly string[];
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Told of the process once it has printed something. */
  readonly onOutput?: (text: string, pid: number) => void;
}

/** As a user types it: `gateway exec <flags> -- <command>`. */
async function run({ flags = [], command, env = {}, stdin = '', onOutput }: Call): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'exec', ...flags, '--', ...command], {
    cwd: folder,
    env: {
      PATH: [folder, dirname(process.execPath), process.env['PATH']].join(delimiter),
      XDG_CACHE_HOME: folder,
      GATEWAY_PROVIDER: 'openai',
      GATEWAY_PROXY_KEY: PROXY_KEY,
      OPENAI_API_KEY: PROVIDER_KEY,
      ...env,
    },
  });
  const ended = once(child, 'close');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout, child.pid ?? 0);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(stdin);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr };
}

/** Of calls that start no command. */
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

/** A program of its own for `node -e`, with `ask` for a request as an SDK would send it. */
function script(source: string): readonly string[] {
  const prelude = `
    const url = process.env.OPENAI_BASE_URL, key = process.env.OPENAI_API_KEY;
    const ask = (body, { path = '/chat/completions', base = url, ...init } = {}) => fetch(base + path, {
      method: 'POST', body, ...init,
      headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json', ...init.headers },
    });
    const show = async (answer) => console.log(answer.status, await answer.text());
  `;
  return ['node', '--input-type=module', '-e', prelude + source];
}

describe('a program run by gateway exec', () => {
  it('asks the gateway with keys that it does not have, as one session', async () => {
    const gateway = await startGateway();
    const flags = ['--gateway-url', gateway.url];
    const source = `await show(await ask('${BODY}', { headers: {
        'x-gateway-provider-key': 'its own', 'x-gateway-session-id': 'its own', 'x-gateway-session-max-steps': '3',
        cookie: 'a=b', 'x-own': 'kept' } }));
      await ask('{}');
      console.log(JSON.stringify(process.env));`;
    const { code, stdout } = await run({ flags, command: script(source) });
    expect(code).toBe(0);
    expect(stdout).toContain('200 {}');
    expect(stdout).not.toContain(PROXY_KEY);
    expect(stdout).not.toContain(PROVIDER_KEY);
    const [first, second] = gateway.requests;
    expect(first).toMatchObject({ method: 'POST', path: '/openai/v1/chat/completions', body: BODY });
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${PROXY_KEY}`,
      'x-gateway-provider-key': PROVIDER_KEY,
      'x-gateway-session-id': expect.stringMatching(/^exec-[0-9a-f-]{36}$/),
      'x-gateway-session-max-steps': '3',
      'x-own': 'kept',
      'content-length': String(BODY.length),
    });
    expect(first?.headers).not.toHaveProperty('cookie');
    expect(second?.headers['x-gateway-session-id']).toBe(first?.headers['x-gateway-session-id']);
    expect(JSON.stringify(gateway.requests)).not.toContain('sk-exec-');

    await run({ flags, command: script(`await ask('{}')`) });
    expect(gateway.last().headers['x-gateway-session-id']).not.toBe(first?.headers['x-gateway-session-id']);
  });

  it('is the only one that is answered, and only for its provider', async () => {
    const gateway = await startGateway();
    const source = `
      const bad = { authorization: 'Bearer sk-exec-' + 'x'.repeat(43) };
      await show(await ask('{}', { headers: bad }));
      await show(await ask('{}', { headers: { authorization: '' } }));
      const root = process.env.GATEWAY_EXEC_URL;
      await show(await ask('{}', { base: root, path: '/anthropic/v1/messages' }));
      await show(await ask('{}', { headers: bad, base: root + '/' + key, path: '/openai/v1/responses' }));
      await show(await ask('{}', { headers: { authorization: '', 'x-api-key': key } }));
      await show(await fetch(root + '/openai/v1/models?a=1&key=' + key));
      await show(await ask('{"x":1}', { base: root, path: '/mcp/demo' }));
    `;
    const { stdout } = await run({
      flags: ['--gateway-url', `${gateway.url}/base/`],
      command: script(source),
    });
    const statuses = stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 3));
    expect(statuses).toEqual(['401', '401', '404', '200', '200', '200', '200']);
    expect(stdout).toContain('"type":"invalid_key"');
    expect(gateway.requests.map(({ path }) => path)).toEqual([
      '/base/openai/v1/responses',
      '/base/openai/v1/chat/completions',
      '/base/openai/v1/models?a=1',
      '/base/mcp/demo',
    ]);
    // A tool's server has no use for the provider's key.
    expect(gateway.last().headers).not.toHaveProperty('x-gateway-provider-key');
    expect(gateway.last().headers['authorization']).toBe(`Bearer ${PROXY_KEY}`);
  });

  it('gets the model that was chosen for it', async () => {
    const gateway = await startGateway();
    const flags = ['--gateway-url', gateway.url];
    await run({
      flags: [...flags, '--model-override', 'gpt-4o-mini'],
      command: script(`await ask('{"model": "o3" ,"n":1.0}')`),
    });
    expect(gateway.last().body).toBe('{"model": "gpt-4o-mini" ,"n":1.0}');
    await run({
      flags: [...flags, '--model-map', 'fast=gemini-2.5-flash,smart=x'],
      env: { GATEWAY_PROVIDER: 'gemini', GEMINI_API_KEY: 'AIza' },
      command: script(`await ask('{"contents":[]}', {
        base: process.env.GOOGLE_GEMINI_BASE_URL, path: '/v1beta/models/fast:streamGenerateContent?alt=sse',
        headers: { authorization: '', 'x-goog-api-key': process.env.GEMINI_API_KEY } })`),
    });
    expect(gateway.last()).toMatchObject({
      path: '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      body: '{"contents":[]}',
    });
  });

  it('is refused where the model cannot be put in', async () => {
    const gateway = await startGateway();
    const zipped = gzipSync(BODY).toString('base64');
    const { stdout } = await run({
      flags: ['--gateway-url', gateway.url, '--model-override', 'gpt-4o-mini'],
      command: script(`
        await show(await ask(Buffer.from('${zipped}', 'base64'), { headers: { 'content-encoding': 'gzip' } }));
        await show(await ask('a=b', { headers: { 'content-type': 'multipart/form-data' } }));
        await show(await ask('{"a":1,"a":2}'));
        await show(await ask('"' + 'x'.repeat(17 * 1024 * 1024) + '"'));
      `),
    });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 3)),
    ).toEqual(['415', '415', '400', '413']);
    expect(gateway.requests).toEqual([]);
  });

  it('sends and reads as it comes, and sees a cut as one', async () => {
    let release = (): void => undefined;
    const gateway = await startGateway((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-gateway-request-id': 'r1' });
      response.write('data: one\n\n');
      release = () => {
        response.write('data: two\n\n');
        setTimeout(() => response.destroy(), 50);
      };
    });
    const { stdout } = await run({
      flags: ['--gateway-url', gateway.url],
      command: script(`
        const answer = await ask('{}');
        console.log(answer.headers.get('x-gateway-request-id'));
        let text = '';
        try {
          for await (const chunk of answer.body) { text += Buffer.from(chunk); console.log('GOT ' + text.length); }
          console.log('ENDED');
        } catch { console.log('CUT'); }
      `),
      onOutput: (text) => {
        if (text.endsWith('GOT 11\n')) release();
      },
    });
    expect(stdout).toBe('r1\nGOT 11\nGOT 22\nCUT\n');
  });

  it('is told where the gateway is not there', async () => {
    const gateway = await startRecorder();
    await gateway.close();
    const { stdout } = await run({
      flags: ['--gateway-url', gateway.url],
      command: script(`await show(await ask('{}'))`),
    });
    expect(stdout).toMatch(
      /^503 .*"the gateway at http:\/\/127.0.0.1:\d+: ECONNREFUSED","type":"gateway_unavailable"/,
    );
  });
});

describe('as a process', () => {
  const flags = ['--gateway-url', 'http://127.0.0.1:1'];

  it.each([
    [['sh', '-c', 'exit 0'], 0],
    [['sh', '-c', 'exit 42'], 42],
    [['sh', '-c', 'kill -TERM $$'], 143],
  ])('%j ends with its own code', async (command, code) => {
    expect((await run({ flags, command })).code).toBe(code);
  });

  it('says what cannot be run, as shells do', async () => {
    writeFileSync(join(folder, 'not-executable'), '', { mode: 0o600 });
    const missing = await run({ flags, command: ['no-such-command'] });
    expect(missing).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('no-such-command: there is no'),
    });
    expect((await run({ flags, command: [join(folder, 'not-executable')] })).code).toBe(126);
  });

  it('gives its input and outputs to the command', async () => {
    const { stdout, stderr } = await run({ flags, command: ['sh', '-c', 'cat; echo err >&2'], stdin: 'in' });
    expect({ stdout, stderr }).toEqual({ stdout: 'in', stderr: 'err\n' });
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('passes %s on, once, and waits', async (signal) => {
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

  it('is on its terminal, whose Ctrl-C reaches the command alone', async () => {
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

  it('shows no key in any command line, and leaves nothing behind', async () => {
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
});

describe('a wrong call', () => {
  it.each([
    [[], {}, /missing required argument 'command'/],
    [
      ['x'],
      { GATEWAY_PROVIDER: '' },
      /set GATEWAY_PROVIDER for x: one of openai, anthropic, gemini, .*openrouter/,
    ],
    [['x'], { GATEWAY_PROVIDER: 'nobody' }, /GATEWAY_PROVIDER: one of openai/],
    [['claude'], {}, /claude cannot speak to openai/],
    [['x'], { GATEWAY_PROXY_KEY: '' }, /set GATEWAY_PROXY_KEY to a proxy key/],
    [['x'], { GATEWAY_PROXY_KEY: 'sk-mistaken' }, /GATEWAY_PROXY_KEY holds no proxy key/],
    [['x'], { OPENAI_API_KEY: '' }, /set the key of openai: OPENAI_API_KEY, GATEWAY_PROVIDER_KEY/],
    [['x'], { OPENAI_API_KEY: 'a\nb' }, /the key of openai: /],
  ] as const)('%j with %o is one line and exit code 2', async (command, env, line) => {
    const { code, stderr, stdout } = await inProcess(['exec', '--', ...command], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(line);
    expect(stderr).not.toMatch(/sk-mistaken|\n\s+at /);
  });

  it.each([
    [['--model-map', 'fast'], 2, /--model-map: pairs/],
    [['--model-override', ''], 2, /--model-override: the name of a model/],
    [['--gateway-url', 'nonsense'], 1, /the gateway's address is a URL/],
    [['--gateway-url', 'http://gateway.example'], 1, /keys would travel over plain HTTP/],
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
});

describe('over TLS', () => {
  it('trusts the system, a file, and the certificate of a gateway.yaml', async () => {
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
      // Another one that this authority has signed, at the same address, is not it.
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
});
