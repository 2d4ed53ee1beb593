import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { outcomeNow } from '../../../../src/extproc/context.ts';
import type { ProcessingResponse } from '../../../../src/extproc/wire/messages.ts';
import { answering } from './rig.ts';

interface Sent {
  readonly body: string | undefined;
  readonly set: Record<string, string>;
  readonly removed: readonly string[];
}

/** Returns the body as the reply changes it. */
function sent({ response_body: reply }: ProcessingResponse): Sent {
  const { set_headers: set = [], remove_headers: removed = [] } = reply?.response.header_mutation ?? {};
  return {
    body: reply?.response?.body_mutation?.body?.toString(),
    set: Object.fromEntries(set),
    removed,
  };
}

const CHAT =
  '{"id":"c", "choices":[{"index":0,"message":{"content":"hello"}}], "usage":{"prompt_tokens":5,"completion_tokens":7}}';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('an answer without a final status', () => {
  it.each([0, 99, 101, 199, 600, 999])(
    'is refused, and the reservation may be charged: %i',
    async (status) => {
      for (const endOfStream of [true, false]) {
        const answer = answering({ status });
        const refused = answer.headers({ 'content-type': 'text/event-stream' }, endOfStream);
        await expect(refused).rejects.toMatchObject({ type: 'upstream_unavailable' });
        expect(answer.seen).toEqual([]);
        expect(outcomeNow(answer.context)).toEqual({ kind: 'lost', upstreamFailed: true });
      }
    },
  );
});

describe('a whole answer', () => {
  it('is shown to the checks with its bytes, its type and its JSON', async () => {
    const answer = answering();
    await answer.headers(JSON_TYPE);
    const reply = sent(await answer.body(CHAT));
    expect(reply).toMatchObject({ body: undefined, removed: [] });
    expect(answer.seen[0]?.answer.whole).toEqual({
      body: Buffer.from(CHAT),
      contentType: 'application/json',
      json: JSON.parse(CHAT),
      edits: [],
      replacement: undefined,
    });
    expect(answer.seen[0]?.answer.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
    expect(outcomeNow(answer.context)).toEqual({ kind: 'complete' });
  });

  it('is edited by byte spans, and gets the new length', async () => {
    const path = ['choices', 0, 'message', 'content'];
    const answer = answering({
      response: ({ answer: { whole } }) => whole?.edits.push({ kind: 'set', path, value: '***' }),
    });
    await answer.headers({ ...JSON_TYPE, 'content-length': String(CHAT.length), etag: '"a"' });
    const { body, set, removed } = sent(await answer.body(CHAT));
    expect(body).toBe(CHAT.replace('hello', '***'));
    expect(set['content-length']).toBe(String(CHAT.length - 2));
    expect(removed).toEqual(['etag']);
  });

  it('is decoded before it is judged, and sent decoded', async () => {
    const answer = answering();
    await answer.headers({ ...JSON_TYPE, 'content-encoding': 'gzip' });
    const { body, set, removed } = sent(await answer.body(gzipSync(CHAT)));
    expect(body).toBe(CHAT);
    expect(set['content-length']).toBe(String(CHAT.length));
    expect(removed).toContain('content-encoding');
    expect(answer.seen[0]?.answer.whole?.body.toString()).toBe(CHAT);
  });

  it('is replaced by the text of a check', async () => {
    const answer = answering({
      response: ({ answer: { whole } }) => {
        if (whole !== undefined) whole.replacement = Buffer.from('ü');
      },
    });
    await answer.headers({ 'content-type': 'text/plain' });
    expect(sent(await answer.body(CHAT))).toMatchObject({ body: 'ü', set: { 'content-length': '2' } });
  });

  it.each([
    ['a repeated name', '{"usage":{"prompt_tokens":1,"completion_tokens":2},"a":1,"a":2}', true],
    ['nothing', '', false],
  ])('has no JSON if parsers may differ, and is accounted nevertheless: %s', async (_, body, isAccounted) => {
    const answer = answering();
    await answer.headers(JSON_TYPE);
    await answer.body(body);
    expect(answer.seen[0]?.answer.whole?.json).toBeUndefined();
    expect(answer.seen[0]?.answer.usage?.outputTokens).toBe(isAccounted ? 2 : undefined);
  });

  it('is read and sent with U+FFFD for invalid UTF-8, and accounted', async () => {
    const [before, behind] = ['{"usage":{"prompt_tokens":1,"completion_tokens":2},"a":"', '"}'];
    const answer = answering();
    await answer.headers(JSON_TYPE);
    const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(behind)]);
    expect(sent(await answer.body(body)).body).toBe(`${before}\ufffd${behind}`);
    expect(answer.seen[0]?.answer.whole?.json).toMatchObject({ a: '\ufffd' });
    expect(answer.seen[0]?.answer.usage?.outputTokens).toBe(2);
  });

  it.each([
    ['text', 'an error'],
    ['a list with a million items', `[${'{},'.repeat(1_000_000)}1]`],
    ['truncated JSON', '{"a":'],
  ])('is refused if it is not JSON, before a check sees it: %s', async (_, body) => {
    const answer = answering();
    await answer.headers(JSON_TYPE);
    await expect(answer.body(body)).rejects.toMatchObject({ type: 'upstream_unavailable' });
    expect(answer.seen).toEqual([]);
    expect(outcomeNow(answer.context)).toEqual({ kind: 'complete' });
  });

  it('has null for numbers that JSON lacks, and is accounted', async () => {
    const answer = answering();
    await answer.headers(JSON_TYPE);
    const reply = sent(await answer.body(`${CHAT.slice(0, -1)},"p":[NaN,-Infinity,"NaN"]}`));
    expect(reply.body).toBe(`${CHAT.slice(0, -1)},"p":[null,null,"NaN"]}`);
    expect(reply.set['content-length']).toBe(String(Buffer.byteLength(reply.body ?? '')));
    expect(answer.seen[0]?.answer.usage).toMatchObject({ outputTokens: 7 });
  });

  it('is refused if it nests too deep, and an edit of a text that is not JSON fails', async () => {
    const deep = answering();
    await deep.headers(JSON_TYPE);
    await expect(deep.body('['.repeat(300))).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const edited = answering({
      response: ({ answer: { whole } }) => whole?.edits.push({ kind: 'remove', path: ['a'] }),
    });
    await edited.headers(JSON_TYPE);
    await expect(edited.body('{"a":1,"a":2}')).rejects.toThrow('not JSON');
  });

  it('of an error is shown too, without facts', async () => {
    const answer = answering({ status: 400 });
    await answer.headers(JSON_TYPE);
    await answer.body(CHAT);
    expect(answer.seen[0]).toMatchObject({ status: 400, answer: { facts: undefined } });
    expect(answer.seen[0]?.answer.whole?.json).toEqual(JSON.parse(CHAT));
  });
});
