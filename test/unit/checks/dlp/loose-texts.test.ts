import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import { createAnyJsonReader } from '../../../../src/providers/dialects/any-json.ts';
import { opaque } from '../../../../src/providers/dialects/opaque.ts';
import { awsEventStream } from '../../../../src/streams/aws-event-stream.ts';
import type { StreamFormat } from '../../../../src/streams/frame.ts';
import { jsonArray } from '../../../../src/streams/json-array.ts';
import { ndjson } from '../../../../src/streams/ndjson.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { decodeStream } from '../../../support/decode-stream.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { eventFrame } from '../../../support/fake-provider/bedrock.ts';
import { everyCut, randomPieces } from './cuts.ts';
import { answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, SSN } from './rig.ts';

const detector = contentDetector({ scanNetwork: false });

interface Form {
  readonly name: string;
  readonly format: StreamFormat;
  write(payloads: readonly unknown[]): Buffer;
}

const FORMS: readonly Form[] = [
  {
    name: 'SSE',
    format: sse,
    write: (all) => Buffer.from(all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')),
  },
  {
    name: 'NDJSON',
    format: ndjson,
    write: (all) => Buffer.from(all.map((one) => `${JSON.stringify(one)}\n`).join('')),
  },
  {
    name: 'a JSON array',
    format: jsonArray,
    write: (all) => Buffer.from(`[${all.map((one) => JSON.stringify(one)).join(',\n')}]`),
  },
  {
    name: 'AWS frames',
    format: awsEventStream,
    write: (all) => Buffer.concat(all.map((one) => eventFrame('piece', one as object))),
  },
];

interface Sent {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

async function send(
  format: StreamFormat,
  chunks: Iterable<Buffer>,
  action: 'mask' | undefined,
): Promise<Sent> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format,
    reader: opaque.stream() ?? createAnyJsonReader(),
    rewriters: [rewriterOf(detector, action === undefined ? {} : { actionOf: () => action })],
    stripComments: true,
  });
  const out: Buffer[] = [];
  for (const chunk of chunks) {
    const { bytes, cut } = await stream.push(chunk);
    out.push(bytes);
    if (cut !== undefined) return { bytes: Buffer.concat(out), isCut: true };
  }
  const { bytes, cut } = await stream.end();
  return { bytes: Buffer.concat([...out, bytes]), isCut: cut !== undefined };
}

function payloadsOf(format: StreamFormat, bytes: Buffer): unknown[] {
  return decodeStream(format, [bytes]).flatMap(({ data }) =>
    data === undefined || data === '' ? [] : [JSON.parse(data) as unknown],
  );
}

/** Forms of a text piece at an unknown endpoint, and its text for a client. */
const SHAPES: readonly [string, (piece: string, n: number) => unknown, (payload: unknown) => unknown][] = [
  ['one member', (piece) => ({ delta: piece }), (at) => (at as { delta: string }).delta],
  [
    'a text among members that repeat',
    (piece, n) => ({
      id: `evt_${String(n)}`,
      kind: 'piece',
      model: 'some-model-1',
      seq: n,
      out: [{ part: { text: piece } }],
    }),
    (at) => (at as { out: { part: { text: string } }[] }).out[0]?.part.text,
  ],
  ['a bare string', (piece) => ({ x: [piece] }), (at) => (at as { x: string[] }).x[0]],
];

describe('a stream of no known dialect', () => {
  for (const { name, format, write } of FORMS) {
    it.each(SHAPES)(`is searched over its events, cut anywhere: ${name}, %s`, async (_shape, shape, read) => {
      const text = `To ${EMAIL} or ${SSN}, card ${CARD} it is.`;
      for (const pieces of [
        ...everyCut(text),
        ...Array.from({ length: 12 }, (_, seed) => randomPieces(text, seed, 5)),
      ]) {
        const bytes = write(pieces.map(shape));
        const { bytes: out } = await send(format, [bytes], undefined);
        const said = payloadsOf(format, out).map(read).join('');
        expect(said).toBe('To *** or ***, card *** it is.');
      }
    });

    it(`is cut at a secret over its events, with nothing of it sent: ${name}`, async () => {
      for (const pieces of everyCut(`The key is ${AWS_KEY} there.`)) {
        const { bytes, isCut } = await send(format, [write(pieces.map((delta) => ({ delta })))], undefined);
        expect(isCut).toBe(true);
        for (let chars = 8; chars <= AWS_KEY.length; chars += 1) {
          expect(bytes.includes(AWS_KEY.slice(0, chars))).toBe(false);
        }
      }
    });

    it(`without findings is sent byte for byte, wherever it is cut: ${name}`, async () => {
      const payloads = randomPieces(
        'Plain words, emails@ none of them. 4111 1111 is no card; hello.',
        4,
      ).flatMap((piece, n) => [
        {
          type: n % 3 === 0 ? 'message_start' : 'content_block_delta',
          role: 'assistant',
          model: 'm-1',
          text: piece,
        },
        ...(n % 4 === 0 ? [{ type: 'ping' }, { once: `value ${String(n)}`, list: ['a', 'b'] }] : []),
      ]);
      const bytes = write(payloads);
      for (let at = 0; at < bytes.length; at += 7) {
        const { bytes: out } = await send(format, [bytes.subarray(0, at), bytes.subarray(at)], undefined);
        expect(out.toString('latin1')).toBe(bytes.toString('latin1'));
      }
    });
  }

  it('is searched across events with others in between', async () => {
    const events = [
      { delta: AWS_KEY.slice(0, 9) },
      ...Array.from({ length: 8 }, () => ({ type: 'ping' })),
      { delta: `${AWS_KEY.slice(9)} ` },
    ];
    expect((await send(sse, [FORMS[0]?.write(events) ?? Buffer.alloc(0)], undefined)).isCut).toBe(true);
  });

  it.each([17, 200])(
    'masks the rest of a finding if %i other events are between its halves',
    async (count) => {
      const others = Array.from({ length: count }, () => ({ type: 'ping' }));
      for (const at of [4, 8, 12]) {
        const halves = [EMAIL.slice(0, at), EMAIL.slice(at)];
        const [first, second] = halves.map((delta) => ({ delta }));
        const events = [first, ...others, second, { delta: ' yes' }];
        const { bytes } = await send(sse, [FORMS[0]?.write(events) ?? Buffer.alloc(0)], 'mask');
        const said = payloadsOf(sse, bytes).map((event) => (event as { delta?: string }).delta ?? '');
        expect(said.join('')).toBe(`${halves[0] ?? ''}*** yes`);
      }
    },
  );

  it('is identified by the indexes of simultaneous texts', async () => {
    const piece = (index: number, text: string): object => ({ choices: [{ index, text }] });
    const [one, two] = [`at ${EMAIL} `, `card ${CARD} `];
    const events = [
      ...Array.from({ length: 40 }, (_, at) => [piece(0, one.charAt(at)), piece(1, two.charAt(at))]).flat(),
    ];
    const { bytes } = await send(sse, [FORMS[0]?.write(events) ?? Buffer.alloc(0)], undefined);
    const said = (index: number): string =>
      (payloadsOf(sse, bytes) as { choices: { index: number; text: string }[] }[])
        .map(({ choices: [choice] }) => (choice?.index === index ? choice.text : ''))
        .join('');
    expect([said(0), said(1)]).toEqual(['at *** ', 'card *** ']);
  });

  it('does not wait at a word that every event repeats, and only briefly at one that appears once', async () => {
    const stream = createAnswerStream({
      answer: newAnswer(),
      format: sse,
      reader: createAnyJsonReader(),
      rewriters: [rewriterOf(detector, { actionOf: MASK_ALL })],
    });
    const held: number[] = [];
    let sent = 0;
    for (let n = 0; n < 60; n += 1) {
      const event = {
        route: 'eu-central',
        trace: 'abcdef',
        ...(n === 0 && { opening: 'hello' }),
        text: ` word${String(n)}`,
      };
      const { bytes } = await stream.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
      sent += bytes.toString().split('data: ').length - 1;
      held.push(n + 1 - sent);
    }
    expect(Math.max(...held)).toBeLessThanOrEqual(18);
    expect(held.slice(20).every((events) => events <= 2)).toBe(true);
  });

  it('is bounded, wherever its texts are', async () => {
    const events = Array.from({ length: 2_000 }, (_, n) => ({ [`place${String(n)}`]: `value${String(n)}` }));
    const bytes = FORMS[0]?.write(events) ?? Buffer.alloc(0);
    expect((await send(sse, [bytes], undefined)).bytes.equals(bytes)).toBe(true);
  });
});

describe('a whole answer in an unknown dialect', () => {
  const where = { provider: 'openai', path: '/v1/chat/completions' } as const;
  const pieces = ['to ', EMAIL.slice(0, 9), EMAIL.slice(9), ', bye'];

  it.each([
    ['a JSON array', JSON.stringify(pieces.map((delta) => ({ delta }))), 'application/json'],
    ['lines', pieces.map((delta) => `${JSON.stringify({ delta })}\n`).join(''), 'application/json'],
    ['events', pieces.map((delta) => `data: ${JSON.stringify({ delta })}\n\n`).join(''), 'text/plain'],
    ['plain text', pieces.join(''), 'text/plain'],
  ])('is searched like a stream if it may be one: %s', async (_form, body, contentType) => {
    const exchange = answered({ body, contentType, ...where });
    const opaqueExchange = {
      ...exchange,
      endpoint: { operation: 'unknown', dialect: opaque } as const,
      answer: { ...exchange.answer, facts: opaque.answer(exchange.answer.whole.json) },
    };
    const { body: sent } = await judgeAnswer(dlp(), opaqueExchange);
    expect(sent).toContain('***');
    expect(sent).not.toContain(EMAIL.slice(0, 9));
    expect(sent).not.toContain(EMAIL.slice(9));
  });
});
