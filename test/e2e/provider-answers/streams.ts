import { expect, it } from 'vitest';
import { eventFrame } from '../../support/fake-provider/bedrock.ts';
import { answer, ask } from './rig.ts';

/** A mail address whose halves are not addresses. */
const [FIRST, SECOND] = ['Ask john.doe', '@example.com now'] as const;

const SSE = 'text/event-stream';
const chat = (members: object): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...members }] })}\n\n`;
const said = (content: string): string => chat({ delta: { content } });
const block = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`;
const delta = (text: string): Buffer =>
  eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } });
const part = (text: string): string =>
  JSON.stringify({ candidates: [{ index: 0, content: { parts: [{ text }] } }] });

const ROWS: readonly [string, string, string, string | Buffer][] = [
  [
    'a broken event of OpenAI',
    'openai, a stream',
    SSE,
    `${said(FIRST)}data: {"choices":[{"index":0,"delta":{"content":"${SECOND}"},"finish_reason":nu3ll}]}\n\n`,
  ],
  ['plain text among events of OpenAI', 'openai, a stream', SSE, `${said(FIRST)}data: ${SECOND}\n\n`],
  ['a comment', 'openai, a stream', SSE, `${said(FIRST)}: ${SECOND}\n\n${said('')}data: [DONE]\n\n`],
  ['the id of an event', 'anthropic', SSE, `${block(FIRST)}id: ${SECOND}\n${block(' ')}`],
  ['the name of an event', 'anthropic', SSE, `event: ${FIRST.slice(4)}\ndata: {}\n\n${block(SECOND)}`],
  [
    'a message beside deltas',
    'openai, a stream',
    SSE,
    said(FIRST) + chat({ delta: {}, message: { content: SECOND } }),
  ],
  [
    'a broken line of Ollama',
    'ollama',
    'application/x-ndjson',
    `{"message":{"content":"${FIRST}"}}\n{"message":{"content":"${SECOND}"},"done":nu3ll}\n`,
  ],
  [
    'a string between elements of Gemini',
    'gemini, a stream',
    'application/json',
    `[${part(FIRST)},"${SECOND}",${part('')}]`,
  ],
  [
    'a broken payload of Bedrock',
    'bedrock, a stream',
    'application/vnd.amazon.eventstream',
    Buffer.concat([delta(FIRST), eventFrame('contentBlockDelta', SECOND)]),
  ],
];

export function streams(): void {
  it.each(ROWS)('%s passes no finding in halves', async (_what, name, type, body) => {
    answer(200, { 'content-type': type }, body);
    const reply = await ask(name);
    expect(reply.status).toBe(200);
    expect([reply.body.includes(FIRST), reply.body.includes(SECOND)]).not.toEqual([true, true]);
  });

  it('a malformed one ends with an error of its dialect, and continues in shadow mode', async () => {
    const broken = `${said('Hello. ')}data: {"choices":nu3ll}\n\n${said('late')}data: [DONE]\n\n`;
    answer(200, { 'content-type': SSE }, broken);
    const cut = (await ask('openai, a stream')).body;
    expect(cut).toContain('Hello. ');
    expect(cut).toContain('"type":"upstream_unavailable"');
    expect(cut).not.toMatch(/nu3ll|late|\[DONE\]/);
    expect((await ask('openai, a stream', 'shadow')).body).toContain('nu3ll');
  });
}
