import { describe, expect, it } from 'vitest';
import { eventFrame } from '../../../support/fake-provider/bedrock.ts';
import { answered, AWS_KEY, dlp, EMAIL, judgeAnswer, type AnswerInput } from './rig.ts';

/** A chat stream with a text in pieces of three letters. */
function sse(text: string): string {
  const chunk = (content: string): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`;
  return `${(text.match(/[\s\S]{1,3}/g) ?? []).map(chunk).join('')}data: [DONE]\n\n`;
}

function lines(text: string): string {
  const line = (content: string, done = false): string =>
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done })}\n`;
  return (text.match(/[\s\S]{1,3}/g) ?? []).map((piece) => line(piece)).join('') + line('', true);
}

function message(text: string): Buffer {
  return eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } });
}

const ollama = { provider: 'ollama', path: '/api/chat' } as const;

/** The text that a client puts together. */
function said(body: string | undefined, member: 'delta' | 'message'): string {
  const payloads = (body ?? '').split('\n').flatMap((line) => {
    const json = line.replace(/^data: /, '');
    return json.startsWith('{') ? [JSON.parse(json) as Record<string, unknown>] : [];
  });
  return payloads
    .map((payload) => (member === 'message' ? payload : (payload['choices'] as object[])[0]))
    .map((holder) => (holder as Record<string, { content?: string }>)[member]?.content ?? '')
    .join('');
}

describe('a stream that is not declared as one', () => {
  it.each<[string, AnswerInput, 'delta' | 'message']>([
    ['events with a text type', { body: sse(`to ${EMAIL}, bye`), contentType: 'text/plain' }, 'delta'],
    ['events with a JSON type', { body: sse(`to ${EMAIL}, bye`) }, 'delta'],
    [
      'events without a type',
      { body: `: hi\n\n${sse(`to ${EMAIL}, bye`)}`, contentType: undefined },
      'delta',
    ],
    ['lines with a JSON type', { body: lines(`to ${EMAIL}, bye`), ...ollama }, 'message'],
  ])('is masked over its pieces: %s', async (_form, input, member) => {
    const rig = dlp();
    const exchange = answered(input);
    const { verdict, body } = await judgeAnswer(rig, exchange);
    expect(said(body, member)).toBe('to ***, bye');
    expect(verdict).toMatchObject({ kind: 'rewrite', reason: 'masked in the answer: email' });
    expect(exchange.responseHeaders.get('x-gateway-dlp-redacted')).toBe('true');
    expect(rig.classes).toEqual([{ class: 'email', side: 'answer', action: 'mask' }]);
    expect(body).not.toContain('x-gateway');
  });

  it('is sent as it was read if it has a duplicate member', async () => {
    const twice = `data: {"choices":[{"index":0,"delta":{"content":"to ${EMAIL}","content":"hello."}}]}\n\n`;
    const { body } = await judgeAnswer(dlp(), answered({ body: twice, contentType: 'text/plain' }));
    expect(said(body, 'delta')).toBe('hello.');
    expect(body).not.toContain(EMAIL);
  });

  it('is masked over its pieces: AWS messages', async () => {
    const frames = Buffer.concat(['to ', EMAIL.slice(0, 9), EMAIL.slice(9), ', bye'].map(message));
    const input = { provider: 'bedrock', path: '/model/m/converse-stream' } as const;
    const exchange = answered({ body: frames, contentType: 'application/octet-stream', ...input });
    const { verdict, bytes } = await judgeAnswer(dlp(), exchange);
    expect(verdict).toMatchObject({ kind: 'rewrite', reason: 'masked in the answer: email' });
    expect(bytes?.toString('latin1')).toContain('***');
    expect(bytes?.toString('latin1')).not.toContain(EMAIL.slice(9));
  });

  it('is withheld as a whole if a secret is spelled in pieces', async () => {
    const rig = dlp();
    const { verdict } = await judgeAnswer(
      rig,
      answered({ body: sse(`key ${AWS_KEY}.`), contentType: 'text/plain' }),
    );
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'dlp_quarantine',
      headers: { 'x-gateway-dlp-block': 'true' },
    });
    expect(rig.leaks).toHaveLength(1);
  });

  it('stays unchanged without findings', async () => {
    const body = sse('Nothing of note, 127 times.');
    const judged = await judgeAnswer(dlp(), answered({ body, contentType: 'text/plain' }));
    expect([judged.verdict, judged.body]).toEqual([{ kind: 'pass' }, body]);
  });

  it.each(['id: 7\nuser: ', 'data: ', ': '])(
    'is read as ordinary text if it contains no JSON: %j',
    async (before) => {
      const judged = await judgeAnswer(
        dlp(),
        answered({ body: `${before}${EMAIL}\n`, contentType: 'text/plain' }),
      );
      expect(judged.body).toBe(`${before}***\n`);
    },
  );

  it('is read as ordinary text if its endpoint never streams', async () => {
    const body = `data: {"a":"${EMAIL}"}\n\n`;
    const input = { body, contentType: 'text/plain', path: '/v1/embeddings' };
    expect((await judgeAnswer(dlp(), answered(input))).body).toBe('data: {"a":"***"}\n\n');
  });
});
