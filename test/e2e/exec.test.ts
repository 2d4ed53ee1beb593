import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ProviderName } from '../../src/providers/registry.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayProgram } from '../support/parts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROVIDER_KEY = 'sk-provider-0123456789';
const ANSWER = 'It is the ninth of May.';

let provider: FakeProvider;
let gateway: TestGateway;
beforeAll(async () => {
  provider = await createFakeProvider();
  const upstream = { base_url: provider.url };
  gateway = await startGateway({
    config: { providers: { openai: upstream, anthropic: upstream, gemini: upstream } },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

/** Programs as SDK manuals show them, without address and key: the SDK reads both from the environment. */
const PROGRAMS: readonly (readonly [name: ProviderName, key: string, model: string, source: string])[] = [
  [
    'openai',
    'OPENAI_API_KEY',
    'gpt-4o-mini',
    `import OpenAI from 'openai';
     const stream = await new OpenAI().chat.completions.create({
       model: 'fast', stream: true, messages: [{ role: 'user', content: 'When?' }] });
     for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
  ],
  [
    'anthropic',
    'ANTHROPIC_API_KEY',
    'claude-haiku-4-5',
    `import Anthropic from '@anthropic-ai/sdk';
     const answer = await new Anthropic().messages.create({
       model: 'fast', max_tokens: 100, messages: [{ role: 'user', content: 'When?' }] });
     console.log(answer.content[0].text);`,
  ],
  [
    'gemini',
    'GEMINI_API_KEY',
    'gemini-2.5-flash',
    `import { GoogleGenAI } from '@google/genai';
     const answer = await new GoogleGenAI({}).models.generateContent({ model: 'fast', contents: 'When?' });
     console.log(answer.text);`,
  ],
];

describe('docs/exec.md: exec', () => {
  it.each(PROGRAMS)("routes %s's own SDK through the gateway", async (name, variable, model, source) => {
    provider.behave({ text: ANSWER });
    const { rawKey } = await gateway.createKey({ provider: name }, { daily: 5 });
    const command = ['node', '--input-type=module', '-e', source];
    const { code, output } = await exec(['--model-map', `fast=${model}`], command, {
      GATEWAY_PROVIDER: name,
      GATEWAY_PROXY_KEY: rawKey,
      [variable]: PROVIDER_KEY,
    });
    expect(output).toContain(ANSWER);
    expect(code).toBe(0);
    const last = provider.requests.at(-1);
    expect(`${last?.path ?? ''} ${last?.body.toString() ?? ''}`).toContain(model);
    const { authorization, 'x-api-key': anthropics, 'x-goog-api-key': googles } = last?.headers ?? {};
    expect([authorization?.replace('Bearer ', ''), anthropics, googles].filter(Boolean)).toEqual([
      PROVIDER_KEY,
    ]);
  });

  it('routes curl through the gateway, which judges it by its key', async () => {
    provider.behave({ text: ANSWER });
    const { rawKey, keyHash } = await gateway.createKey({ provider: 'openai' }, { daily: 5 });
    const keys = { GATEWAY_PROVIDER: 'openai', GATEWAY_PROXY_KEY: rawKey, OPENAI_API_KEY: PROVIDER_KEY };
    const body = '{"model":"gpt-4o","max_tokens":9,"messages":[{"role":"user","content":"When?"}]}';
    const curl = `curl -sS -D - "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" \\
      -H 'Content-Type: application/json' -d '${body}'`;
    const command = ['sh', '-c', `${curl}; echo; ${curl}`];
    const { output } = await exec([], command, keys);
    expect(output).toContain(ANSWER);
    // One run is one session.
    expect([...output.matchAll(/^x-gateway-session-steps: (\d+)/gim)].map(([, steps]) => steps)).toEqual([
      '1',
      '2',
    ]);

    await gateway.setBudget(keyHash, { daily: 0 });
    expect((await exec([], command, keys)).output).toContain('"type":"budget_exceeded"');
  });

  it('exposes no key to the agent, in no environment, argument or file of the run', async () => {
    const { rawKey } = await gateway.createKey({ provider: 'openai' }, { daily: 5 });
    // Only the processes of this run, not the machine's others.
    const look = `top=$$; while up=$(ps -o ppid= -p "$top" | tr -d ' '); [ "$up" != ${String(process.pid)} ]; do top=$up; done
      for pid in $(ps -eo pid=,ppid= | sort -n | awk -v top="$top" '$1 == top || $2 in run { run[$1]; print $1 }'); do
        cat /proc/$pid/environ /proc/$pid/cmdline; done 2>/dev/null | tr '\\0' '\\n'
      cat "$TMPDIR"/*/* 2>/dev/null; echo "looked from $top"
      echo "files:$GATEWAY_EXEC_PIPE$(ls "$TMPDIR")."; exit 7`;
    const tmp = await mkdtemp(join(tmpdir(), 'exec-test-'));
    const { code, output } = await exec([], ['sh', '-c', look], {
      GATEWAY_PROVIDER: 'openai',
      GATEWAY_PROXY_KEY: rawKey,
      OPENAI_API_KEY: PROVIDER_KEY,
      TMPDIR: tmp,
    });
    await rm(tmp, { recursive: true });
    expect(output).toContain('GATEWAY_EXEC_KEY=');
    expect(output).toMatch(/^exec$/m);
    expect(output).not.toContain(rawKey);
    expect(output).not.toContain(PROVIDER_KEY);
    expect(output).toMatch(/^files:\.$/m);
    expect(code).toBe(7);
  });

  it('opens no debugger for the agent on a signal, and continues', async () => {
    const { rawKey } = await gateway.createKey({ provider: 'openai' }, { daily: 5 });
    const ask = `kill -USR1 $PPID; sleep 1; kill -0 $PPID && echo goes on; exit 7`;
    const { code, output } = await exec([], ['sh', '-c', ask], {
      GATEWAY_PROVIDER: 'openai',
      GATEWAY_PROXY_KEY: rawKey,
      OPENAI_API_KEY: PROVIDER_KEY,
      NODE_OPTIONS: '--inspect-port=0',
    });
    expect(output).not.toContain('Debugger listening');
    expect(output).toContain('goes on');
    expect(code).toBe(7);
  });

  it("never sends the run's key to another provider, for any spelling of the path", async () => {
    const { rawKey } = await gateway.createKey({ allowedProviders: ['openai', 'anthropic'] });
    const keys = { GATEWAY_PROVIDER: 'openai', GATEWAY_PROXY_KEY: rawKey, OPENAI_API_KEY: PROVIDER_KEY };
    const before = provider.requests.length;
    for (const path of ELSEWHERE) {
      const curl = `curl -sS --path-as-is -w ' %{http_code}' "$GATEWAY_EXEC_URL${path}" -d '${MESSAGE}' \\
        -H "Authorization: Bearer $GATEWAY_EXEC_KEY" -H 'Content-Type: application/json'`;
      const { output } = await exec([], ['sh', '-c', curl], keys);
      expect(output, path).toMatch(/"type":"(invalid_request|not_found)".* 40[04]/s);
    }
    expect(provider.requests.length).toBe(before);
  });
});

const MESSAGE = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"When?"}]}';
/** Paths that a URL parser or Envoy reads as `/anthropic/v1/messages`. */
const ELSEWHERE = [
  '/openai/../anthropic/v1/messages',
  '/openai/%2e%2e/anthropic/v1/messages',
  '/openai/.%2E/anthropic/v1/messages',
  '/openai/%252e%252e/anthropic/v1/messages',
  '/openai/v1/../../anthropic/v1/messages',
  '/openai//../anthropic/v1/messages',
  '/openai/./../anthropic/v1/messages',
  '/openai/..%2fanthropic/v1/messages',
  '/openai/..%5canthropic/v1/messages',
  '/openai/..\\\\anthropic/v1/messages',
  '/mcp/x/../../anthropic/v1/messages',
  '//anthropic/v1/messages',
  '/anthropic/v1/messages',
];

async function exec(
  flags: readonly string[],
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { PATH, HOME } = process.env;
  // Without an address it uses the one in gateway.yaml.
  const args = [await gatewayProgram(), '--config', gateway.configFile, 'exec', ...flags, '--', ...command];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH, HOME, SERVER_INSECURE_DEV: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
