import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../src/json/edit.ts';
import type { JsonEdit } from '../../../src/json/path.ts';
import { parseStrict } from '../../../src/json/strict-parse.ts';
import type { Endpoint, Usage } from '../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../src/providers/request-facts.ts';
import { PROVIDER_NAMES, providers } from '../../../src/providers/registry.ts';
import type { ConformanceRow, ConformanceStream } from '../../support/conformance-row.ts';
import { decodeStream } from '../../support/decode-stream.ts';
import { openaiRows } from './openai-rows.ts';
import { ownDialectRows } from './own-dialect-rows.ts';
import { valueAt } from '../../support/request-facts.ts';

const rows = [...openaiRows, ...ownDialectRows];

function endpointOf(row: ConformanceRow): Endpoint {
  const endpoint = providers[row.provider].endpoint('POST', row.path, row.query);
  if (endpoint === undefined) throw new Error(`${row.provider} does not read ${row.path}`);
  return endpoint;
}

function readBody(row: ConformanceRow, body: Buffer): RequestFacts {
  const endpoint = endpointOf(row);
  return endpoint.dialect.request(parseStrict(body) as JsonObject, endpoint);
}

function afterEdits(row: ConformanceRow, body: JsonObject, edits: readonly JsonEdit[]): RequestFacts {
  return readBody(row, applyEdits(Buffer.from(JSON.stringify(body, null, 1)), edits));
}

function markedStrings(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('§') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(markedStrings) : [];
}

describe('every provider', () => {
  it('has rows', () => {
    expect(new Set(rows.map((row) => row.provider))).toEqual(new Set(PROVIDER_NAMES));
  });

  it.each(PROVIDER_NAMES)('%s is registered under its own name and reads no unknown endpoint', (name) => {
    const provider = providers[name];
    expect(provider.name).toBe(name);
    expect(provider.selfHosted).toBe(!provider.needsKey);
    for (const path of [
      '/',
      '',
      '/v1',
      '/v1/',
      '/v1/files',
      '/v1/batches',
      '/constructor',
      '/v1/__proto__',
    ]) {
      expect(provider.endpoint('POST', path)).toBeUndefined();
    }
    expect(provider.endpoint('GET', '/v1/files')).toBeUndefined();
    expect(provider.defaultBaseUrl ?? 'https://x').not.toMatch(/\/$/);
  });

  it.each(PROVIDER_NAMES)('%s sends its credential in one header, without line breaks', (name) => {
    const credential = providers[name].credential('a-key');
    expect(credential.kind).toBe('header');
    expect(() => providers[name].credential('a-key\r\nx-evil: 1')).toThrow(/key|credential/i);
  });
});

describe.each(rows.map((row) => [`${row.provider} ${row.path}`, row] as const))('%s', (_, row) => {
  const endpoint = endpointOf(row);
  const { dialect } = endpoint;
  const facts = (): RequestFacts => dialect.request(row.body, endpoint);

  it('reads the request', () => {
    expect(endpoint.operation).toBe(row.operation);
    expect(facts()).toMatchObject({
      model: row.model,
      models: [row.model],
      choices: expect.any(Number) as number,
    });
    expect(facts().output?.tokens).toBe(row.limit);
    expect(facts().tools).toEqual(row.tools ?? []);
    expect(facts().hostedTools.map((tool) => tool.type)).toEqual(row.hostedTools ?? []);
    expect(facts().unbounded).toBeUndefined();
  });

  it('finds text in every place, with its path', () => {
    const found = facts().texts;
    expect(found.map(({ text }) => text)).toEqual(
      expect.arrayContaining(markedStrings(row.body)) as string[],
    );
    for (const { text, path, editable } of found) {
      if (editable === undefined) expect(valueAt(row.body, path)).toBe(text);
    }
  });

  it('sets an output limit, or lowers the client’s', () => {
    const { output } = facts();
    if (output === undefined) return;
    expect(afterEdits(row, row.body, output.set(7)).output?.tokens).toBe(7);
    const unlimited = withoutLimits(row.body);
    const without = dialect.request(unlimited, endpoint);
    expect(without.output?.tokens).toBe(row.defaultLimit);
    expect(afterEdits(row, unlimited, without.output?.set(7) ?? []).output?.tokens).toBe(7);
  });

  it('asks for usage once if a stream would not report it', () => {
    const body = { ...row.body, stream: true };
    const asked = dialect.request(body, endpoint);
    expect(asked.askUsage !== undefined).toBe(row.asksUsage ?? false);
    if (asked.askUsage !== undefined) expect(afterEdits(row, body, asked.askUsage).askUsage).toBeUndefined();
    expect(facts().askUsage).toBeUndefined();
  });

  it('reads usage and texts of a whole answer', () => {
    const answer = dialect.answer(row.answer);
    expect(withoutZeroParts(answer.usage)).toEqual(row.usage);
    const texts = answer.texts.filter((text) => text.editable === undefined);
    expect(texts.map(({ text }) => text)).toEqual(row.texts ?? []);
    for (const { text, path } of texts) expect(valueAt(row.answer, path)).toBe(text);
  });

  it.each([null, 1, 'x', [], {}, { usage: null, choices: 7, output: {}, content: 'x', message: [] }])(
    'never throws over an answer like %j',
    (body) => {
      expect(dialect.answer(body).texts).toBeInstanceOf(Array);
    },
  );

  it('treats invalid usage as missing', () => {
    for (const bad of [-1, Number.NaN, 1e300, '12']) {
      const answer = dialect.answer(withNumbers(row.answer, bad));
      if (row.operation === 'count_tokens') continue;
      expect(answer.usage).toBeUndefined();
    }
  });

  const { stream } = row;
  if (stream === undefined) return;

  it('reads a stream in the same way at any cut', () => {
    for (let cut = 0; cut <= stream.bytes.length; cut += 1) {
      const seen = readStream(endpoint, stream, [stream.bytes.subarray(0, cut), stream.bytes.subarray(cut)]);
      expect(seen).toEqual({ usage: stream.usage, texts: stream.texts, done: true, failed: false });
    }
  });

  it('reads any frames without throwing', () => {
    const reader = dialect.stream();
    for (const data of [
      undefined,
      '',
      'x',
      'null',
      '[]',
      '{}',
      '{"choices":[null]}',
      '{"choices":[{"delta":null}]}',
    ]) {
      const frame = { raw: Buffer.alloc(0), ...(data !== undefined && { data }) };
      expect(reader?.read(frame).deltas).toEqual([]);
    }
  });
});

function readStream(endpoint: Endpoint, stream: ConformanceStream, chunks: readonly Buffer[]) {
  const reader = endpoint.dialect.stream();
  const seen = {
    usage: undefined as unknown,
    texts: {} as Record<string, string>,
    done: false,
    failed: false,
  };
  for (const frame of decodeStream(stream.format, chunks)) {
    const event = reader?.read(frame);
    for (const { channel, text, path, repeats } of event?.deltas ?? []) {
      if (event?.inner === undefined) expect(valueAt(JSON.parse(frame.data ?? ''), path)).toBe(text);
      if (repeats !== true) seen.texts[channel] = (seen.texts[channel] ?? '') + text;
    }
    seen.usage = withoutZeroParts(event?.usage) ?? seen.usage;
    seen.done ||= event?.done === true;
    seen.failed ||= event?.failed === true;
  }
  return seen;
}

/** A count of 0 may be omitted. */
function withoutZeroParts(usage: Usage | undefined): Partial<Usage> | undefined {
  if (usage === undefined) return undefined;
  const entries = Object.entries(usage) as [keyof Usage, number][];
  return Object.fromEntries(
    entries.filter(([name, n]) => n !== 0 || name === 'inputTokens' || name === 'outputTokens'),
  );
}

const LIMITS: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'options',
  'generationConfig',
  'inferenceConfig',
]);

function withoutLimits(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !LIMITS.has(name)));
}

/** A copy with every number replaced. */
function withNumbers(value: unknown, bad: unknown): unknown {
  if (typeof value === 'number') return bad;
  if (Array.isArray(value)) return value.map((item) => withNumbers(item, bad));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item, bad)]));
}
