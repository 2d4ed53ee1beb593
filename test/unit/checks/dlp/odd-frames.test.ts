import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { awsEventStream } from '../../../../src/streams/aws-event-stream.ts';
import type { StreamFormat } from '../../../../src/streams/frame.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { streamReaderOf } from '../../../support/stream-reader.ts';

const detector = contentDetector({ scanNetwork: false });

/** The text of a masked stream. */
async function masked(
  format: StreamFormat,
  provider: ProviderName,
  path: string,
  bytes: Buffer,
): Promise<Buffer> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format,
    reader: streamReaderOf(provider, path),
    rewriters: [rewriterOf(detector, { actionOf: MASK_ALL })],
    stripComments: true,
  });
  const sent = await stream.push(bytes);
  return Buffer.concat([sent.bytes, (await stream.end()).bytes]);
}

async function maskedSse(path: string, ...payloads: string[]): Promise<string> {
  const bytes = Buffer.from(payloads.map((payload) => `data: ${payload}\n\n`).join(''));
  return (await masked(sse, 'openai', path, bytes)).toString();
}

const CHAT = '/v1/chat/completions';
const chat = (content: string, more: string): string =>
  `{"choices":[{"index":0,"delta":{"content":"${content}"}${more}}]}`;

describe('frames that are JSON to some readers only', () => {
  it('have null instead of numbers that JSON does not have, and are read like other frames', async () => {
    const sent = await maskedSse(
      CHAT,
      chat('jane@exam', ',"logprobs":NaN'),
      chat('ple.com, NaN', ',"logprobs":-Infinity'),
      chat('! ', ''),
    );
    expect(sent).toBe(
      [chat('***, ', ',"logprobs":null'), chat('NaN! ', '')]
        .map((payload) => `data: ${payload}\n\n`)
        .join(''),
    );
  });

  it('are searched with their escapes read', async () => {
    const sent = await maskedSse(CHAT, `${chat(String.raw`jane\u0040example.com`, '')} {}`);
    expect(sent).toBe(`data: ${chat('***', '')} {}\n\n`);
  });

  it('are searched with their escapes decoded, even beside all payloads', async () => {
    const sent = await masked(sse, 'openai', CHAT, Buffer.from(String.raw`{"a":"jane\u0040example.com"}`));
    expect(sent.toString()).toBe('');
  });

  it('are masked by the content of each, and across two of them', async () => {
    const sent = await maskedSse(CHAT, 'joe@example.com, jane@exam', 'ple.com, jim@example.com', '[DONE]');
    expect(sent).toBe('data: ***, ***\n\ndata: , ***\n\ndata: [DONE]\n\n');
  });

  it('are masked in time proportional to their length', async () => {
    const addresses = String.raw`a\u0040example.com b@example.com `.repeat(20_000);
    expect(await maskedSse(CHAT, `{${addresses}`)).toBe(`data: {${'*** *** '.repeat(20_000)}\n\n`);
  }, 30_000);
});

describe('frames that few readers know', () => {
  it('are one text if a Responses event streams strings under its own name', async () => {
    const event = (delta: string): string => JSON.stringify({ type: 'response.new_thing.delta', delta });
    const sent = await maskedSse('/v1/responses', event('jane@exam'), event('ple.com, '), '[DONE]');
    expect(sent).toBe([event('***, '), '[DONE]'].map((payload) => `data: ${payload}\n\n`).join(''));
  });

  it('are one text if each piece of a tool call has its own id', async () => {
    const piece = (id: string, text: string, name?: string): string =>
      JSON.stringify({
        choices: [
          { index: 0, delta: { tool_calls: [{ index: 0, id, function: { name, arguments: text } }] } },
        ],
      });
    const sent = await maskedSse(
      CHAT,
      piece('a', '{"to":"', 'send'),
      piece('b', 'jane@exam'),
      piece('c', 'ple.com"}'),
    );
    expect(sent).toBe(
      [piece('a', '{"to":"', 'send'), piece('b', ''), piece('c', '***"}')]
        .map((payload) => `data: ${payload}\n\n`)
        .join(''),
    );
  });
});

describe('Bedrock’s base64 payload', () => {
  const NOVA = '/model/amazon.nova-lite-v1:0/invoke-with-response-stream';
  const empty = awsEventStream.createWriter().cut([{ data: '{}', event: 'chunk' }]);
  const chunk = (inner: string): Buffer =>
    awsEventStream.withData({ raw: empty }, JSON.stringify({ bytes: Buffer.from(inner).toString('base64') }));

  async function innerOf(...inners: string[]): Promise<string[]> {
    const bytes = await masked(awsEventStream, 'bedrock', NOVA, Buffer.concat(inners.map(chunk)));
    const frames = awsEventStream.createDecoder({ maxFrameBytes: 65_536 }).push(bytes);
    return frames.map(({ data = '{}' }) =>
      Buffer.from(String((JSON.parse(data) as { bytes: unknown }).bytes), 'base64').toString(),
    );
  }

  it('is searched even if it is not JSON', async () => {
    expect(await innerOf('To jane@example.com')).toEqual(['To ***']);
  });

  it('keeps the number of its block if held text is sent alone', async () => {
    const delta = (text: string): string =>
      JSON.stringify({ contentBlockDelta: { contentBlockIndex: 3, delta: { text } } });
    expect(await innerOf(delta('Ask jane'))).toEqual([delta('Ask '), delta('jane')]);
  });

  it('is read as the event in it, in any position', async () => {
    const delta = (text: string): string =>
      JSON.stringify({ id: 'x', contentBlockDelta: { contentBlockIndex: 0, delta: { text } } });
    expect(await innerOf(delta('jane@exam'), delta('ple.com, '))).toEqual([delta('***, ')]);
  });
});
