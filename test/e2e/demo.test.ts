import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { descendants, isAlive } from '../support/processes.ts';

const root = join(import.meta.dirname, '..', '..');

/** `npm start`, as a person runs it: the printed commands are run as printed. */
describe('npm start', () => {
  const { REDIS_ADDR: _none, ...env } = process.env;
  const demo = spawn('npm', ['start'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
  let output = '';
  demo.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  demo.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => demo.once('exit', resolve));

  beforeAll(async () => {
    await vi.waitFor(
      () => {
        expect(output).toContain('Ctrl-C stops the demo');
      },
      { timeout: 60_000, interval: 50 },
    );
  });
  afterAll(() => {
    if (demo.exitCode === null && demo.signalCode === null) process.kill(-(demo.pid ?? 0), 'SIGKILL');
  });

  /** Runs the n-th printed curl in a shell, like a person: again after a second if a busy machine sheds it. */
  async function curl(index: number): Promise<string> {
    const commands = output.match(/^curl (?:.*\\\n)*.*$/gm) ?? [];
    for (;;) {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', commands[index] ?? 'false']);
      if (!stdout.includes('x-gateway-error-type: overloaded')) return stdout;
      await delay(1_000);
    }
  }

  it('prints a chat completion that works and shows its cost', async () => {
    const answer = await curl(0);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(answer).toMatch(/x-gateway-request-cost: 0\.0/i);
    expect(answer).toContain('You said: Hello!');
  });

  it('prints a stream that works', async () => {
    const answer = await curl(1);
    expect(answer).toMatch(/content-type: text\/event-stream/i);
    expect(answer).toContain('data: [DONE]');
  });

  it('prints a stream whose personal data is masked', async () => {
    const answer = await curl(2);
    expect(answer).toMatch(/content-type: text\/event-stream/i);
    expect(answer).toContain('Mail ***');
    expect(answer).not.toContain('jane@');
  });

  it('prints a request that exceeds the budget', async () => {
    const answer = await curl(3);
    expect(answer).toMatch(/^HTTP\/1\.1 429/);
    expect(answer).toContain('"type":"budget_exceeded"');
  });

  it('prints a request whose limit is lowered to the remaining budget', async () => {
    const answer = await curl(4);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(answer).toMatch(/x-gateway-output-limit: \d{4}\r/i);
  });

  it('prints an injection, which is refused', async () => {
    const answer = await curl(5);
    expect(answer).toMatch(/^HTTP\/1\.1 403/);
    expect(answer).toContain('"type":"policy_denied"');
  });

  it('prints a tool call, which is refused', async () => {
    const answer = await curl(6);
    expect(answer).toContain('policy_denied');
    expect(answer).not.toContain('The demo server received');
  });

  it('answers Responses, as used by Codex', async () => {
    const [, url = '', key = ''] =
      /^new OpenAI\(\{ baseURL: '([^']*)', apiKey: '([^']*)'/m.exec(output) ?? [];
    const answer = await fetch(`${url}/responses`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'x-gateway-provider-key': 'demo',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, max_output_tokens: 100, input: 'Hello!' }),
    });
    expect(await answer.text()).toContain('"status":"completed"');
  });

  it("prints the operator's page, with a password that signs in", async () => {
    const [, page = '', password] = /page, with sample traffic: (\S+) \(password (\S+)\)/.exec(output) ?? [];
    const headers = { 'content-type': 'application/json' };
    const signedIn = await fetch(`${page}/api/sign-in`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ password }),
    });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    const me = await fetch(`${page}/api/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ role: 'admin', signed_in_by: 'password' });
    const budgets = await fetch(`${page}/api/shared-budgets`, { headers: { cookie } });
    expect(await budgets.json()).toMatchObject({ items: [{ name: 'all-teams' }] });
    expect(await (await fetch(page)).text()).toContain('<div id="page">');
  });

  it('prints no log lines', () => {
    expect(output).not.toMatch(/^\{/m);
  });

  it('prints lines for both SDKs', () => {
    expect(output).toMatch(/new OpenAI\(\{ baseURL: 'http:\/\/127\.0\.0\.1:\d+\/openai\/v1'/);
    expect(output).toMatch(/new Anthropic\(\{ baseURL: 'http:\/\/127\.0\.0\.1:\d+\/anthropic'/);
  });

  it('leaves no process and no file behind after Ctrl-C', async () => {
    const pids = descendants(demo.pid ?? 0).map(({ pid }) => pid);
    const folders = output.match(/\/\S*\/gateway-[A-Za-z0-9]{6}/g) ?? [];
    expect(pids.length).toBeGreaterThan(3);
    expect(folders.some((folder) => existsSync(folder))).toBe(true);
    // A terminal sends SIGINT to the whole process group.
    process.kill(-(demo.pid ?? 0), 'SIGINT');
    await exited;
    await vi.waitFor(() => {
      expect(pids.filter(isAlive)).toEqual([]);
      expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    }, 10_000);
  });
});
