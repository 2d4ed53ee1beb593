import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import type { Check } from '../../../../src/pipeline/check.ts';
import type { MaskRule } from '../../../../src/policy/cards/mask-rule.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { answered as inParts } from '../../../support/exchange.ts';
import { answered, AWS_KEY, dlp, EMAIL, parsed, SSN } from '../dlp/rig.ts';
import { contains, detects, judged, maskRig, regex, rule, sendAnswer, type MaskRig } from './rig.ts';

const FALCON = rule('names', contains('Falcon'));
const said = (message: object, more: object = {}) =>
  answered({
    body: {
      id: 'chatcmpl-Falcon',
      object: 'chat.completion',
      created: 1_700_000_000,
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
      ...more,
    },
  });

function choice(body: string | undefined): unknown {
  return (JSON.parse(body ?? '') as { choices: { message: unknown }[] }).choices[0]?.message;
}

describe('a whole completion that a mask rule matches', () => {
  it.each([
    ['a literal', contains('Falcon'), 'Falcon flies', '*** flies'],
    ['a regular expression', regex('\\b\\d{8,}\\b'), 'account 123456789', 'account ***'],
    ['a detector', detects('ssn'), `it is ${SSN}`, 'it is ***'],
    ['a secret', detects('secrets'), `key ${AWS_KEY}!`, 'key ***!'],
  ])('has *** instead of %s', async (_what, pattern, content, expected) => {
    const rig = maskRig();
    const exchange = judged(said({ content }), rule('r', pattern));
    const { body } = await sendAnswer(rig, exchange);
    expect(choice(body)).toEqual({ role: 'assistant', content: expected });
    expect(exchange.responseHeaders.get('x-gateway-dlp-redacted')).toBe('true');
    expect(rig.verdicts.at(-1)).toMatchObject({ kind: 'rewrite', reason: 'masked in the answer: r' });
    expect(JSON.parse(body ?? '')).toMatchObject({ id: 'chatcmpl-Falcon', created: 1_700_000_000 });
  });

  it('is masked in arguments of tools, which stay JSON', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"q":"Falcon","n":1}' } };
    const exchange = judged(said({ content: null, tool_calls: [call] }), FALCON);
    const { body } = await sendAnswer(maskRig(), exchange);
    expect(body).toContain(JSON.stringify('{"q":"***","n":1}'));
  });

  it('is masked in unknown members', async () => {
    const exchange = judged(
      said({ content: 'see', annotations: [{ title: 'About Falcon', url: 'https://Falcon.example' }] }),
      FALCON,
    );
    const { body } = await sendAnswer(maskRig(), exchange);
    expect(body).toContain('"About ***"');
    expect(body).toContain('https://***.example');
  });

  it('is masked beside what DLP masks in the same text', async () => {
    const { check } = dlp();
    const exchange = judged(said({ content: `${EMAIL} of Falcon` }), FALCON);
    const { body } = await sendAnswer(maskRig([check]), exchange);
    expect(choice(body)).toEqual({ role: 'assistant', content: '*** of ***' });
  });

  it('is masked if data-loss prevention has searched for less and found nothing', async () => {
    const { check } = dlp({ scan_pii: false, scan_network: false });
    const exchange = judged(said({ content: `it is ${SSN}` }), rule('r', detects('ssn')));
    const { body } = await sendAnswer(maskRig([check]), exchange);
    expect(exchange.answer.whole?.searched).toContain(`it is ${SSN}`);
    expect(choice(body)).toEqual({ role: 'assistant', content: 'it is ***' });
  });

  it('is masked in arguments that data-loss prevention passes', async () => {
    const { check } = dlp({ scan_tool_arguments: false });
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: `{"q":"${SSN}"}` } };
    const exchange = judged(said({ content: null, tool_calls: [call] }), rule('r', detects('ssn')));
    const { body } = await sendAnswer(maskRig([check]), exchange);
    expect(body).toContain(JSON.stringify('{"q":"***"}'));
  });

  it('is searched again if an edit followed data-loss prevention', async () => {
    const { check } = dlp({ scan_pii: false, scan_network: false });
    const edits: Check = {
      name: 'edits',
      shadowable: false,
      response({ answer: { whole } }) {
        const path = ['choices', 0, 'message', 'content'];
        whole?.edits.push({ kind: 'set', path, value: `it is ${SSN}` });
        return { kind: 'pass' };
      },
    };
    const exchange = judged(said({ content: 'it is unknown' }), rule('r', detects('ssn')));
    const { body } = await sendAnswer(maskRig([check, edits]), exchange);
    expect(choice(body)).toEqual({ role: 'assistant', content: 'it is ***' });
  });

  it('is masked in an error, and in an answer that is not JSON', async () => {
    const error = answered({ body: { error: { message: 'no Falcon', type: 'x' } }, status: 400 });
    expect((await sendAnswer(maskRig(), judged(error, FALCON))).body).toBe(
      '{"error":{"message":"no ***","type":"x"}}',
    );
    const text = answered({ body: 'no Falcon here', contentType: 'text/plain' });
    expect((await sendAnswer(maskRig(), judged(text, FALCON))).body).toBe('no *** here');
  });

  it('is masked beside DLP if it is not JSON', async () => {
    const { check } = dlp();
    const text = answered({ body: `Falcon is ${EMAIL}`, contentType: 'text/plain' });
    expect((await sendAnswer(maskRig([check]), judged(text, FALCON))).body).toBe('*** is ***');
  });

  it('is masked in a stream that arrived whole', async () => {
    const body = ['Fal', 'con'].map((text) => frame({ content: text })).join('');
    const exchange = judged(answered({ body, contentType: 'text/plain' }), FALCON);
    const { body: sent = '' } = await sendAnswer(maskRig(), exchange);
    expect(textIn(sent)).toBe('***');
  });

  it('is only recorded in shadow mode', async () => {
    const rig = maskRig([], true);
    const exchange = judged(said({ content: 'Falcon' }), FALCON);
    expect((await sendAnswer(rig, exchange)).body).toBe(exchange.answer.whole.body.toString());
    expect(rig.verdicts.at(-1)).toMatchObject({ kind: 'rewrite', enforced: false });
    expect(exchange.responseHeaders.has('x-gateway-dlp-redacted')).toBe(false);
  });
});

function frame(delta: object, more: object = {}): string {
  const chunk = {
    id: 'chatcmpl-Falcon',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function streamOf(text: string, chars: number): string {
  const pieces = Array.from({ length: Math.ceil(text.length / chars) }, (_, index) =>
    frame({ content: text.slice(index * chars, (index + 1) * chars) }),
  );
  return `${pieces.join('')}${frame({}, { finish_reason: 'stop' })}data: [DONE]\n\n`;
}

async function throughStream(
  rig: MaskRig,
  pieces: readonly Buffer[],
  ...rules: readonly MaskRule[]
): Promise<string> {
  const request = parsed({ body: { stream: true, messages: [{ role: 'user', content: 'hi' }] } });
  const exchange = inParts(judged(request, ...rules), { form: 'stream' });
  const run = rig.run();
  await run.requestBody(exchange);
  const reader = exchange.endpoint.dialect.stream(exchange.request);
  if (reader === undefined) throw new Error('the dialect streams');
  const stream = createAnswerStream({
    answer: exchange.answer,
    format: sse,
    reader,
    rewriters: run.rewriters(exchange),
  });
  const out: Buffer[] = [];
  for (const piece of pieces) out.push((await stream.push(piece)).bytes);
  out.push((await stream.end()).bytes);
  return Buffer.concat(out).toString();
}

function textIn(stream: string): string {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');
}

describe('a streamed completion that a mask rule matches', () => {
  const TEXT = `The Falcon and PRJ-1234 belong to ${SSN}, Falcon.`;
  const RULES = [FALCON, rule('ids', regex('PRJ-\\d+')), rule('ssn', detects('ssn'))];
  const EXPECTED = 'The *** and *** belong to ***, ***.';

  it('has *** in its place, wherever its text is cut', async () => {
    for (let chars = 1; chars <= 20; chars += 1) {
      const bytes = Buffer.from(streamOf(TEXT, chars));
      expect(textIn(await throughStream(maskRig(), [bytes], ...RULES))).toBe(EXPECTED);
    }
  });

  it('has *** in its place, wherever its bytes are cut', async () => {
    const bytes = Buffer.from(streamOf(TEXT, 9));
    const rig = maskRig();
    for (let at = 0; at <= bytes.length; at += 1) {
      const sent = await throughStream(rig, [bytes.subarray(0, at), bytes.subarray(at)], ...RULES);
      expect(textIn(sent)).toBe(EXPECTED);
    }
    expect(rig.verdicts.at(-1)).toMatchObject({ kind: 'rewrite' });
  });

  it('is reported in a comment, and other members stay', async () => {
    const sent = await throughStream(maskRig(), [Buffer.from(streamOf('a Falcon', 4))], FALCON);
    expect(sent).toContain(': x-gateway-dlp-redacted=true');
    expect(sent).toContain('"id":"chatcmpl-Falcon"');
    expect(sent).toContain('"created":1700000000');
  });

  it('leaves a stream without matches byte for byte', async () => {
    const bytes = Buffer.from(streamOf('nothing to see', 5));
    expect(await throughStream(maskRig(), [bytes], FALCON)).toBe(bytes.toString());
  });

  it('is masked beside DLP, and only recorded in shadow mode', async () => {
    const { check } = dlp();
    const bytes = Buffer.from(streamOf(`${EMAIL} of Falcon`, 3));
    expect(textIn(await throughStream(maskRig([check]), [bytes], FALCON))).toBe('*** of ***');
    const rig = maskRig([], true);
    expect(await throughStream(rig, [bytes], FALCON)).toBe(bytes.toString());
    expect(rig.verdicts.at(-1)).toMatchObject({ kind: 'rewrite', enforced: false });
  });
});
