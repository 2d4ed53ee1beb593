import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../detectors/secrets/samples.ts';
import {
  answered,
  AWS_KEY,
  CARD,
  dlp,
  EMAIL,
  judgeAnswer,
  PHONE,
  SSN,
  maskedAnswer,
  type AnswerInput,
} from './rig.ts';

const chat = (message: object, more: object = {}): object => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, ...more }],
});

describe('an answer that is JSON', () => {
  it.each([
    ['content', { content: `to ${EMAIL}!` }, { content: 'to ***!' }],
    [
      'content parts',
      { content: [{ type: 'text', text: SSN }] },
      { content: [{ type: 'text', text: '***' }] },
    ],
    ['reasoning', { reasoning_content: `call ${PHONE}` }, { reasoning_content: 'call ***' }],
    ['refusal', { refusal: `not to ${EMAIL}` }, { refusal: 'not to ***' }],
    [
      'members that no dialect knows',
      { x_new: { deep: [{ note: SSN }] } },
      { x_new: { deep: [{ note: '***' }] } },
    ],
    ['numbers', { content: 'ok', card: Number(CARD) }, { content: 'ok', card: '***' }],
    [
      'arguments, which stay JSON',
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: `{"n":${CARD},"to":"${EMAIL}"}` } }] },
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"n":"***","to":"***"}' } }] },
    ],
    [
      'arguments with escapes',
      {
        tool_calls: [
          { id: 'c', function: { name: 'f', arguments: `{"to":"${EMAIL.replace('@', '\\u0040')}"}` } },
        ],
      },
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"to":"***"}' } }] },
    ],
  ])('is masked in its %s', async (_place, said, expected) => {
    expect(await maskedAnswer({ body: chat(said) })).toBe(JSON.stringify(chat(expected)));
  });

  it('loses a member whose name is a finding', async () => {
    const body = chat({ content: '', x: { before: 1, [EMAIL]: 'paid', after: 2 } });
    expect(await maskedAnswer({ body })).toBe(
      JSON.stringify(chat({ content: '', x: { before: 1, after: 2 } })),
    );
  });

  it('loses a member whose name and value are findings', async () => {
    const body = (x: object): object => chat({ content: '', x });
    const before = body({
      a: 1,
      [EMAIL]: SSN,
      b: { [SSN]: [EMAIL, Number(CARD)] },
      c: { [CARD]: { d: EMAIL } },
    });
    expect(await maskedAnswer({ body: before })).toBe(JSON.stringify(body({ a: 1, b: {}, c: {} })));
  });

  it('is masked in a number that is too long for a double, as written', async () => {
    const card = ['4539', '1488', '0343', '6460', '003'].join('');
    expect(String(Number(card))).not.toBe(card);
    const body = (n: string): string => `{"choices":[],"x":[{"id":12345678901234567890},{"n":${n} }]}`;
    expect(await maskedAnswer({ body: body(card) })).toBe(body('"***"'));
  });

  it('stays unchanged without findings, and around strings with one', async () => {
    const around = (text: string): string =>
      `{ "choices" :[ {"message": {"content":"${text}","b":"caf\\u00e9 \\/ é","a":1.50 }}],\r\n\t"n":1e3 }\n`;
    expect(await maskedAnswer({ body: around('fine \\u0021') })).toBe(around('fine \\u0021'));
    expect(await maskedAnswer({ body: around(`to ${EMAIL}\\n`) })).toBe(around('to ***\\n'));
  });

  it('is masked as a plain document if it is an error in any form', async () => {
    for (const body of [{ error: { message: `no ${EMAIL}` } }, [`no ${EMAIL}`], `no ${EMAIL}`]) {
      const text = JSON.stringify(body);
      const { body: out } = await judgeAnswer(dlp(), answered({ body: text, status: 400 }));
      expect(out).toBe(text.replace(EMAIL, '***'));
    }
  });

  it('passes the name of a member to the detectors, as text before the value', async () => {
    const rig = dlp({ action: 'mask' });
    const secret = 'wJ4hPq8' + 'rT2vXz6LmN0bKd3FgY5sCe1uAi9oQwErTyUi';
    const body = JSON.stringify(chat({ content: 'x', env: { aws_secret_access_key: secret.slice(0, 40) } }));
    const { body: out } = await judgeAnswer(rig, answered({ body }));
    expect(out).toBe(body.replace(secret.slice(0, 40), '***'));
  });

  it('empties a signed text, whose signature stays', async () => {
    const content = [{ type: 'thinking', thinking: `I saw ${EMAIL}`, signature: 'c2ln' }];
    const exchange = answered({
      body: { content },
      provider: 'anthropic',
      path: '/v1/messages',
      facts: {
        texts: [
          { kind: 'reasoning', text: `I saw ${EMAIL}`, path: ['content', 0, 'thinking'], signed: true },
        ],
      },
    });
    const { body } = await judgeAnswer(dlp(), exchange);
    expect(body).toBe(JSON.stringify({ content: [{ ...content[0], thinking: '' }] }));
  });

  it('is withheld for a secret in a signed text too', async () => {
    const text = `key ${AWS_KEY}`;
    const facts = { texts: [{ kind: 'reasoning', text, path: ['thinking'], signed: true }] } as const;
    const { verdict } = await judgeAnswer(dlp(), answered({ body: { thinking: text }, facts }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('leaves encrypted and encoded members unchanged, even if their letters look like a finding', async () => {
    const random = seededRandom(5);
    const bytes = Buffer.from(Array.from({ length: 60_000 }, () => Math.floor(random() * 256)));
    const noise = `${bytes.toString('base64')}/${AWS_KEY}/AAAA`;
    expect(await maskedAnswer({ body: { note: noise } })).toBeUndefined();
    const sealed = { signature: noise, parts: [{ data: noise }, { url: `data:image/png;base64,${noise}` }] };
    expect(await maskedAnswer({ body: sealed })).toBe(JSON.stringify(sealed));
  });

  it('searches members that only claim to be encrypted or encoded', async () => {
    expect(await maskedAnswer({ body: { signature: EMAIL } })).toBe('{"signature":"***"}');
    const long = `${EMAIL} ${'x'.repeat(600)}`;
    expect(await maskedAnswer({ body: { data: long } })).toBe(
      JSON.stringify({ data: long.replace(EMAIL, '***') }),
    );
    const url = `data:text/plain;base64,${'x'.repeat(600)} ${EMAIL}`;
    expect(await maskedAnswer({ body: { url } })).toBe(JSON.stringify({ url: url.replace(EMAIL, '***') }));
    const { verdict } = await judgeAnswer(dlp(), answered({ body: { data: AWS_KEY } }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('searches members with such names in a model’s arguments', async () => {
    const data = `${'A'.repeat(600)}/${AWS_KEY}/`;
    const facts = { texts: [{ kind: 'tool_arguments', text: data, path: ['input', 'data'] }] } as const;
    expect(await maskedAnswer({ body: { input: { data } }, facts })).toBeUndefined();
  });

  it('masks a repeated text in the same way each time', async () => {
    const body = { output: Array.from({ length: 50 }, () => ({ text: `to ${EMAIL}` })) };
    expect(await maskedAnswer({ body })).toBe(JSON.stringify(body).replaceAll(EMAIL, '***'));
  });
});

describe('texts that look like others with their names', () => {
  it('are masked at the finding', async () => {
    const name = 'a_name_of_twenty_signs';
    const written = `${name}": "${CARD}`;
    const content = [
      { type: 'tool_use', id: 't', name: 'f', input: { [name]: CARD } },
      { type: 'text', text: written },
    ];
    const input: AnswerInput = { body: { content }, provider: 'anthropic', path: '/v1/messages' };
    expect(await maskedAnswer(input)).toBe(JSON.stringify({ content }).replaceAll(CARD, '***'));
  });
});
