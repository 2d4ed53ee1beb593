import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import type { Answered } from '../../../../src/pipeline/exchange.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { MaskRule } from '../../../../src/policy/cards/mask-rule.ts';
import { createAnyJsonReader } from '../../../../src/providers/dialects/any-json.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { readAtOnce } from '../../../support/read-at-once.ts';
import { CARD } from '../dlp/rig.ts';
import {
  ATTACK,
  AWS_KEY,
  event,
  inspector,
  messagesIn,
  REMOVED,
  result,
  textResult,
} from '../mcp-inspector/rig.ts';
import { contains, detects, inArgument, judged, maskRig, regex, rule, sendAnswer } from './rig.ts';

const FALCON = rule('names', contains('Falcon'));

function answerTo(said: unknown, rules: readonly MaskRule[], whole = true): Answered {
  const body = Buffer.from(JSON.stringify(said));
  return {
    ...judged(mcpExchange({ body: toolCall('read') }), ...rules),
    origin: 'provider',
    status: 200,
    answerHeaders: new Map(),
    form: whole ? 'whole' : 'stream',
    answer: {
      ...newAnswer(),
      whole: whole
        ? {
            body,
            contentType: 'application/json',
            json: readAtOnce(body).json,
            edits: [],
            replacement: undefined,
          }
        : undefined,
      complete: whole,
    },
  };
}

describe("a tool's answer that a mask rule matches", () => {
  it('has *** in its place, in all its texts', async () => {
    const said = result({
      content: [{ type: 'text', text: 'Falcon flies' }],
      structuredContent: { name: 'the Falcon', Falcon: 1, list: ['Falcon'] },
    });
    const exchange = answerTo(said, [FALCON]);
    const rig = maskRig();
    const { body = '' } = await sendAnswer(rig, exchange);
    expect(JSON.parse(body)).toMatchObject({
      id: 1,
      result: {
        content: [{ type: 'text', text: '*** flies' }],
        structuredContent: { name: 'the ***', '***': null, list: ['***'] },
      },
    });
    expect(body).not.toContain('Falcon');
    expect(exchange.responseHeaders.get('x-gateway-response-redacted')).toBe('true');
    expect(rig.verdicts.at(-1)).toMatchObject({ reason: "masked in the tool's answer: names" });
  });

  it('is masked in JSON in a text, and in long numbers', async () => {
    const inner = { card: Number(CARD), note: 'ok' };
    const said = result({
      content: [{ type: 'text', text: JSON.stringify(inner) }],
      structuredContent: inner,
    });
    const { body = '' } = await sendAnswer(maskRig(), answerTo(said, [rule('cards', detects('card'))]));
    const { result: sent } = JSON.parse(body) as {
      result: { content: { text: string }[]; structuredContent: unknown };
    };
    expect(JSON.parse(sent.content[0]?.text ?? '')).toEqual({ card: '***', note: 'ok' });
    expect(sent.structuredContent).toEqual({ card: '***', note: 'ok' });
  });

  it('is masked and continues if it is a secret', async () => {
    const { body = '' } = await sendAnswer(
      maskRig(),
      answerTo(textResult(`key ${AWS_KEY}!`), [rule('keys', detects('secrets'))]),
    );
    expect(JSON.parse(body)).toEqual(textResult('key ***!'));
  });

  it('keeps its protocol', async () => {
    const said = textResult('hello');
    const rules = [rule('words', contains('text'), contains('jsonrpc'), regex('[12]'))];
    expect(JSON.parse((await sendAnswer(maskRig(), answerTo(said, rules))).body ?? '')).toEqual(said);
  });

  it('is ignored by rules about arguments', async () => {
    const said = textResult('Falcon');
    const rules = [rule('q', inArgument(['q'], contains('Falcon')))];
    expect(JSON.parse((await sendAnswer(maskRig(), answerTo(said, rules))).body ?? '')).toEqual(said);
  });

  it('is masked beside the inspector’s removals in the same text', async () => {
    const { check } = inspector();
    const said = textResult(`Falcon. ${ATTACK}.`);
    const { body = '' } = await sendAnswer(maskRig([check]), answerTo(said, [FALCON]));
    expect(JSON.parse(body)).toEqual(textResult(`***. ${REMOVED}.`));
  });

  it('is masked event by event', async () => {
    const rig = maskRig();
    const exchange = answerTo(null, [FALCON], false);
    const run = rig.run();
    await run.requestBody(exchange);
    const bytes = Buffer.from(
      event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'Falcon' } }) +
        event(textResult('the Falcon')),
    );
    for (let at = 0; at <= bytes.length; at += 1) {
      const stream = createAnswerStream({
        answer: exchange.answer,
        format: sse,
        reader: exchange.endpoint.dialect.stream(exchange.request) ?? createAnyJsonReader(),
        rewriters: run.rewriters(exchange),
      });
      const out = [
        await stream.push(bytes.subarray(0, at)),
        await stream.push(bytes.subarray(at)),
        await stream.end(),
      ];
      const sent = Buffer.concat(out.map((one) => one.bytes)).toString();
      expect(messagesIn(sent)).toEqual([
        expect.objectContaining({ params: { level: 'info', data: '***' } }),
        textResult('the ***'),
      ]);
      expect(sent).toContain(': x-gateway-response-redacted=true');
    }
  });
});
