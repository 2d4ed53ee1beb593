import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { ConfigInput } from '../../src/config/schema.ts';
import { configText, defaultAnswers } from '../../src/init/files.ts';
import { quarantineKey, riskProfileKey } from '../../src/redis/keys.ts';
import { TASK_TEXTS } from '../support/coding-tasks/sessions.ts';
import { defaultConfig } from '../support/default-config.ts';
import { DIALECT_STREAMS, type DialectStream } from '../support/dialect-streams.ts';
import { FILE_DIALECTS, type FileDialect } from '../support/file-dialects.ts';
import { useTestRedis } from '../support/redis.ts';
import { startTestSidecar, type Answer, type Seen, type TestSidecar } from '../support/settings/sidecar.ts';
import { envFile, WORKING_FILES } from '../support/working-files.ts';

/**
 * Code files with the configuration of `gateway init --for agent`, in every place where agents put them: nothing is
 * refused, and only bytes of secrets change.
 */
const redis = useTestRedis();
let sidecar: TestSidecar;
let key: Awaited<ReturnType<TestSidecar['newKey']>>;

beforeAll(async () => {
  const written = parse(configText(defaultAnswers('agent'))) as ConfigInput;
  const config: ConfigInput = {
    ...written,
    server: { ...written.server, log_level: 'error' },
    redis: { addr: redis.addr },
    audit: { enabled: true, stdout: false },
    mcp: { ...written.mcp, enabled: true, servers: [{ name: 'files', url: 'https://files.test/mcp' }] },
  };
  sidecar = await startTestSidecar(defaultConfig(config, { SERVER_INSECURE_DEV: 'true' }), redis);
});
beforeEach(async () => {
  key = await sidecar.newKey({ allowedProviders: ['openai', 'anthropic', 'gemini'] });
});
afterAll(async () => {
  await sidecar.close();
});

async function ask(path: string, body: object, answer: Answer, headers = {}): Promise<Seen> {
  return sidecar.ask({ path, body, rawKey: key.rawKey, answer, headers });
}

async function expectNeitherLockNorScore(): Promise<void> {
  expect(await redis.client.exists(quarantineKey(key.keyHash))).toBe(0);
  expect(await redis.client.hget(riskProfileKey(key.keyHash), 'risk_score')).toBeNull();
}

const FILES = [...Object.entries(WORKING_FILES), ...TASK_TEXTS];
const DONE = ['note', { done: true }] as const;
const MASKED_KEY = envFile('***');
const MASKED_ENV = envFile('***', '***');

function write(name: string, content: string): readonly [string, Record<string, unknown>] {
  return ['Write', { file_path: `/home/jane/parcels/${name}`, content }];
}

/** Every form in which an agent may send a file. */
function requestsWith(dialect: FileDialect, name: string, text: string): readonly [string, object][] {
  return [
    ['instructions', dialect.system(`Context:\n\n--- ${name} ---\n${text}`)],
    ['a question', dialect.user(`Look at ${name}:\n\n\`\`\`\n${text}\`\`\`\n`)],
    ['a result', dialect.called(['Read', { file_path: name }], text)],
    ['arguments', dialect.called(write(name, text), 'written')],
  ];
}

describe.each(FILE_DIALECTS)('code files in $name', (dialect) => {
  it.each(FILES)('reach the model unchanged: %s', async (name, text) => {
    for (const [place, body] of requestsWith(dialect, name, text)) {
      const {
        status,
        upstream,
        body: said,
      } = await ask(dialect.path, body, {
        body: dialect.answer('Done.', DONE),
      });
      expect([place, status, status === 200 ? '' : said]).toEqual([place, 200, '']);
      expect(upstream?.body, place).toBe(JSON.stringify(body));
    }
    await expectNeitherLockNorScore();
  });

  it.each(FILES)('return unchanged: %s', async (name, text) => {
    const answer = dialect.answer(`Here is ${name}:\n\n${text}`, write(name, text));
    const seen = await ask(dialect.path, dialect.user('Write the file, please.'), { body: answer });
    expect([seen.status, seen.body]).toEqual([200, JSON.stringify(answer)]);
  });

  it('lose a key and a password on the way to the model, and a key on the way back', async () => {
    for (const [index, [place, body]] of requestsWith(dialect, '.env', envFile()).entries()) {
      const { status, upstream } = await ask(dialect.path, body, { body: dialect.answer('Done.', DONE) });
      const masked = requestsWith(dialect, '.env', MASKED_ENV)[index]?.[1];
      expect([place, status, JSON.parse(upstream?.body ?? 'null')]).toEqual([place, 200, masked]);
    }
    const seen = await ask(dialect.path, dialect.user('Write the file, please.'), {
      body: dialect.answer(envFile(), write('.env', envFile())),
    });
    expect(seen.status).toBe(200);
    expect(JSON.parse(seen.body)).toEqual(dialect.answer(MASKED_KEY, write('.env', MASKED_KEY)));
    await expectNeitherLockNorScore();
  });

  it('continue with a secret in a place that cannot be masked, turn after turn', async () => {
    for (const body of dialect.unchangeable(envFile())) {
      for (let turn = 0; turn < 2; turn++) {
        const seen = await ask(dialect.path, body, { body: dialect.answer('Done.', DONE) });
        // Signed text is masked as a whole: its provider accepts it back empty, but not changed.
        const isThought = JSON.stringify(body).includes('"thinking"');
        const sent = isThought ? dialect.unchangeable('')[1] : body;
        expect([seen.status, seen.upstream?.body]).toEqual([200, JSON.stringify(sent)]);
      }
    }
    await expectNeitherLockNorScore();
  });
});

const STREAMED = [
  'OpenAI chat, two choices',
  'OpenAI chat, two tool calls',
  'OpenAI responses, two items',
  'Anthropic, two blocks',
  'Anthropic, two tool calls',
  'Gemini, two candidates',
  'Gemini, arguments in pieces of two candidates',
];
const PATHS: readonly (readonly [RegExp, FileDialect['name'] | undefined, string])[] = [
  [/^OpenAI chat/, 'OpenAI chat', '/openai/v1/chat/completions'],
  [/^OpenAI resp/, 'OpenAI Responses', '/openai/v1/responses'],
  [/^Anthropic/, 'Anthropic', '/anthropic/v1/messages'],
  [/^Gemini/, 'Gemini', '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
];
const PIECE_CHARS = 23;

async function streamed(stream: DialectStream, text: string): Promise<string> {
  const [, name, path = ''] = PATHS.find(([pattern]) => pattern.test(stream.name)) ?? [];
  const dialect = FILE_DIALECTS.find((one) => one.name === name);
  const words = stream.wrap(text);
  const pieces = words.match(new RegExp(`[^]{1,${String(PIECE_CHARS)}}`, 'g')) ?? [];
  const bytes = stream.write(pieces.map((piece) => ({ of: 0, text: piece })));
  const body = { ...dialect?.user('Write the file, please.'), ...(name !== 'Gemini' && { stream: true }) };
  const seen = await ask(path, body, { type: 'text/event-stream', body: bytes.toString() });
  expect(seen.status).toBe(200);
  return stream.unwrap(stream.read(Buffer.from(seen.body)).texts[0]);
}

describe.each(DIALECT_STREAMS.filter(({ name }) => STREAMED.includes(name)))(
  'code files in a stream of $name',
  (stream) => {
    it.each(FILES)('return unchanged: %s', async (_name, text) => {
      expect(await streamed(stream, text)).toBe(text);
    });

    it('lose a key', async () => {
      expect(await streamed(stream, envFile())).toBe(MASKED_KEY);
      await expectNeitherLockNorScore();
    });
  },
);

describe('code files at MCP servers', () => {
  const path = '/mcp/files/tools/call';
  const headers = { accept: 'application/json, text/event-stream' };
  const call = (content: string): object => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'save', arguments: { content } },
  });
  const result = (text: string): object => ({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text }] },
  });

  it('keep people’s addresses and numbers', async () => {
    for (const name of ['package.json', 'CONTACTS.md', 'LICENSE']) {
      const text = WORKING_FILES[name] ?? '';
      const seen = await ask(path, call(text), { body: result(text) }, headers);
      expect([seen.status, seen.upstream?.body]).toEqual([200, JSON.stringify(call(text))]);
      expect(JSON.parse(seen.body)).toEqual(result(text));
    }
  });

  it('lose a key and a password in both directions, and nothing locks or scores', async () => {
    const seen = await ask(path, call(envFile()), { body: result(envFile()) }, headers);
    expect(JSON.parse(seen.upstream?.body ?? '')).toEqual(call(MASKED_ENV));
    expect(JSON.parse(seen.body)).toEqual(result(MASKED_ENV));
    await expectNeitherLockNorScore();
  });
});
