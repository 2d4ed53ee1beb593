import { describe, expect, it } from 'vitest';
import { mask } from '../../../../src/detectors/mask.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { contentDetector } from '../../../support/dlp-rewriter.ts';
import { list, object, type Json } from '../../../support/read-dialect-stream.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';
import { everyCut, randomPieces } from './cuts.ts';
import { answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, PHONE, SSN } from './rig.ts';

/** A form in which an answer has one text in several members. */
interface Form {
  readonly name: string;
  readonly provider: ProviderName;
  readonly path: string;
  /** A member with a piece of the text. */
  member(text: string): unknown;
  /** Between two members, and not itself one. */
  readonly between?: unknown;
  /** The answer with these members in their list. */
  body(members: readonly unknown[]): object;
  /** The result for its clients: the pieces in order. */
  read(body: unknown): readonly unknown[];
}

const CHAT = '/v1/chat/completions';

const GENERATE = '/v1beta/models/gemini-2.5-flash:generateContent';

const candidate = (parts: readonly unknown[]): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
});

const partsOf = (body: unknown): readonly Json[] =>
  list(object(object(list(object(body)['candidates'])[0])['content'])['parts']);

const message = (content: readonly unknown[]): object => ({ type: 'message', content });

const contentOf = (body: unknown): readonly Json[] => list(object(body)['content']);

const converse = (content: readonly unknown[]): object => ({ output: { message: { content } } });

const converseOf = (body: unknown): readonly Json[] =>
  list(object(object(object(body)['output'])['message'])['content']);

const chat = (said: object): object => ({
  choices: [{ index: 0, message: { role: 'assistant', ...said } }],
});

const chatOf = (body: unknown): Json => object(object(list(object(body)['choices'])[0])['message']);

const cohere = (content: readonly unknown[]): object => ({ message: { role: 'assistant', content } });

const cohereOf = (body: unknown): readonly Json[] => list(object(object(body)['message'])['content']);

const textsOf = (members: readonly Json[], name = 'text'): readonly unknown[] =>
  members.flatMap((member) => (typeof member[name] === 'string' ? [member[name]] : []));

/** Where such answers come from. */
const GEMINI = { provider: 'gemini', path: GENERATE, body: candidate } as const;
const ANTHROPIC = { provider: 'anthropic', path: '/v1/messages', body: message } as const;
const CONVERSE = {
  provider: 'bedrock',
  path: '/model/anthropic.claude-sonnet-4/converse',
  body: converse,
} as const;
const COHERE = { provider: 'cohere', path: '/v2/chat', body: cohere } as const;
const RESPONSES = { provider: 'openai', path: '/v1/responses' } as const;
const MISTRAL = { provider: 'mistral', path: CHAT } as const;

const FORMS: readonly Form[] = [
  {
    name: 'parts of a Gemini candidate, with a call between',
    ...GEMINI,
    member: (text) => ({ text }),
    between: { functionCall: { name: 'f', args: { a: 'b' } } },
    read: (body) => textsOf(partsOf(body)),
  },
  {
    name: 'parts of a Gemini candidate, with a thought between',
    ...GEMINI,
    member: (text) => ({ text }),
    between: { text: 'Hm.', thought: true },
    read: (body) => textsOf(partsOf(body).filter(({ thought }) => thought !== true)),
  },
  {
    name: 'thoughts of a Gemini candidate',
    ...GEMINI,
    member: (text) => ({ text, thought: true }),
    between: { text: 'Well.' },
    read: (body) => textsOf(partsOf(body).filter(({ thought }) => thought === true)),
  },
  {
    name: 'text blocks of an Anthropic message, with a tool between',
    ...ANTHROPIC,
    member: (text) => ({ type: 'text', text, citations: null }),
    between: { type: 'tool_use', id: 't', name: 'f', input: { a: 'b' } },
    read: (body) => textsOf(contentOf(body)),
  },
  {
    name: 'thinking blocks of an Anthropic message',
    ...ANTHROPIC,
    member: (thinking) => ({ type: 'thinking', thinking, signature: '' }),
    between: { type: 'text', text: 'Well.' },
    read: (body) => textsOf(contentOf(body), 'thinking'),
  },
  {
    name: 'text blocks of an Anthropic message from Bedrock',
    provider: 'bedrock',
    path: '/model/anthropic.claude-sonnet-4/invoke',
    member: (text) => ({ type: 'text', text }),
    body: message,
    read: (body) => textsOf(contentOf(body)),
  },
  {
    name: 'text blocks of Bedrock Converse, with a tool between',
    ...CONVERSE,
    member: (text) => ({ text }),
    between: { toolUse: { toolUseId: 't', name: 'f', input: { a: 'b' } } },
    read: (body) => textsOf(converseOf(body)),
  },
  {
    name: 'cited texts of Bedrock Converse, with a text between',
    ...CONVERSE,
    member: (text) => ({ citationsContent: { content: [{ text }], citations: [{ title: 'x' }] } }),
    read: (body) =>
      converseOf(body).flatMap(({ citationsContent }) => textsOf(list(object(citationsContent)['content']))),
  },
  {
    name: 'thoughts of Bedrock Converse',
    ...CONVERSE,
    member: (text) => ({ reasoningContent: { reasoningText: { text } } }),
    between: { text: 'Well.' },
    read: (body) =>
      converseOf(body).flatMap(({ reasoningContent }) =>
        reasoningContent === undefined ? [] : textsOf([object(object(reasoningContent)['reasoningText'])]),
      ),
  },
  {
    name: 'content parts of an OpenAI response',
    ...RESPONSES,
    member: (text) => ({ type: 'output_text', text, annotations: [] }),
    between: { type: 'refusal', refusal: 'No.' },
    body: (content) => ({ output: [{ type: 'message', id: 'm', content }] }),
    read: (body) => list(object(body)['output']).flatMap(({ content }) => textsOf(list(content))),
  },
  {
    name: 'messages of an OpenAI response, with a call between',
    ...RESPONSES,
    member: (text) => ({ type: 'message', content: [{ type: 'output_text', text }] }),
    between: { type: 'function_call', name: 'f', arguments: '{"a":"b"}' },
    body: (output) => ({ output }),
    read: (body) => list(object(body)['output']).flatMap(({ content }) => textsOf(list(content))),
  },
  {
    name: 'summaries of an OpenAI response’s reasoning',
    ...RESPONSES,
    member: (text) => ({ type: 'summary_text', text }),
    body: (summary) => ({ output: [{ type: 'reasoning', id: 'r', summary }] }),
    read: (body) => list(object(body)['output']).flatMap(({ summary }) => textsOf(list(summary))),
  },
  {
    name: 'content blocks of Cohere',
    ...COHERE,
    member: (text) => ({ type: 'text', text }),
    between: { type: 'thinking', thinking: 'Hm.' },
    read: (body) => textsOf(cohereOf(body)),
  },
  {
    name: 'thoughts of Cohere',
    ...COHERE,
    member: (thinking) => ({ type: 'thinking', thinking }),
    between: { type: 'text', text: 'Well.' },
    read: (body) => textsOf(cohereOf(body), 'thinking'),
  },
  {
    name: 'content chunks of Mistral, with a reference between',
    ...MISTRAL,
    member: (text) => ({ type: 'text', text }),
    between: { type: 'reference', reference_ids: [1] },
    body: (content) => chat({ content }),
    read: (body) => textsOf(list(chatOf(body)['content'])),
  },
  {
    name: 'thoughts of Mistral',
    ...MISTRAL,
    member: (text) => ({ type: 'text', text }),
    body: (thinking) =>
      chat({
        content: [
          { type: 'thinking', thinking },
          { type: 'text', text: 'So.' },
        ],
      }),
    read: (body) => textsOf(list(list(chatOf(body)['content'])[0]?.['thinking'])),
  },
  {
    name: 'reasoning details of OpenRouter',
    provider: 'openrouter',
    path: CHAT,
    member: (text) => ({ type: 'reasoning.text', text }),
    between: { type: 'reasoning.encrypted', data: 'eA==' },
    body: (details) => chat({ content: 'So.', reasoning_details: details }),
    read: (body) => textsOf(list(chatOf(body)['reasoning_details'])),
  },
];

const detector = contentDetector();
const TEXTS = [
  `Write to ${EMAIL} soon.`,
  `Paid with ${CARD.replace(/(\d{4})(?=\d)/g, '$1 ')} today.`,
  `SSN ${SSN}, call ${PHONE}, or 10.20.30.40 – "so" \u{1F0CF}.`,
  'Nothing of the kind, 42.',
];
const SECRETS = [`The key is ${AWS_KEY}, keep it.`, `So ${makeSecret('jwt', seededRandom(2)).text} it is.`];

function answerOf(form: Form, pieces: readonly string[]): ReturnType<typeof answered> {
  const members = pieces.flatMap((piece, index) =>
    index > 0 && form.between !== undefined ? [form.between, form.member(piece)] : [form.member(piece)],
  );
  return answered({ body: form.body(members), provider: form.provider, path: form.path });
}

/** The expected pieces; one that would be emptied is masked. */
async function joinedAfter(form: Form, pieces: readonly string[]): Promise<string> {
  const { body, verdict } = await judgeAnswer(dlp({ action: 'mask' }), answerOf(form, pieces));
  if (body === undefined) return `refused: ${JSON.stringify(verdict)}`;
  return form
    .read(JSON.parse(body))
    .join('')
    .replace(/\*{4,}/g, '***');
}

describe.each(FORMS)('$name', (form) => {
  it('are masked as one text, wherever it is cut in two', async () => {
    const wrong: string[] = [];
    for (const text of [...TEXTS, SECRETS[0] ?? '']) {
      const expected = mask(text, detector.find(text));
      for (const pieces of everyCut(text)) {
        const got = await joinedAfter(form, pieces);
        if (got !== expected) wrong.push(`${String(pieces[0]?.length)}: ${got}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are masked as one text in many pieces', async () => {
    const wrong: string[] = [];
    for (const text of [...TEXTS, ...SECRETS]) {
      const expected = mask(text, detector.find(text));
      for (let seed = 1; seed <= 5; seed += 1) {
        const got = await joinedAfter(form, randomPieces(text, seed));
        if (got !== expected) wrong.push(got);
      }
      const got = await joinedAfter(
        form,
        [...text].flatMap((letter) => ['', letter]),
      );
      if (got !== expected) wrong.push(got);
    }
    expect(wrong).toEqual([]);
  });

  it('are withheld for a secret, wherever it is cut in two', async () => {
    const passed: string[] = [];
    const text = SECRETS[0] ?? '';
    for (const pieces of everyCut(text)) {
      const { verdict } = await judgeAnswer(dlp(), answerOf(form, pieces));
      if (verdict?.kind !== 'deny' || verdict.type !== 'dlp_quarantine') passed.push(pieces.join('|'));
    }
    expect(passed).toEqual([]);
  });
});

describe('texts that clients join', () => {
  const half = EMAIL.length >> 1;
  const halves = [EMAIL.slice(0, half), EMAIL.slice(half)] as const;

  it('stay unchanged without findings, and so do those beside a finding', async () => {
    const body = (first: string, second: string): string =>
      `{ "content":[{"type":"text", "text":"fine \\u0021"},{"text":"to ${first}","type":"text"},\n` +
      `{"type":"text","text":"${second}, \\/ "}, {"type":"text","text":"\\u00e9"}], "stop_reason":null }\n`;
    const judged = async (text: string): Promise<string | undefined> =>
      (await judgeAnswer(dlp(), answered({ body: text, provider: 'anthropic', path: '/v1/messages' }))).body;
    expect(await judged(body('no', 'one'))).toBe(body('no', 'one'));
    expect(await judged(body(...halves))).toBe(body('***', '').replace('\\/ ', '/ '));
  });

  it('are masked separately if each has its own', async () => {
    const parts = [{ text: `to ${EMAIL}` }, { text: ` ${SSN}` }, { text: SSN }];
    const exchange = answered({ body: candidate(parts), provider: 'gemini', path: GENERATE });
    const { body } = await judgeAnswer(dlp(), exchange);
    expect(body).toBe(JSON.stringify(candidate([{ text: 'to ***' }, { text: ' ***' }, { text: '***' }])));
  });

  it('are never left empty', async () => {
    const [first, second] = halves;
    const parts = [{ text: first }, { text: second.slice(0, 3) }, { text: second.slice(3) }];
    const exchange = answered({ body: candidate(parts), provider: 'gemini', path: GENERATE });
    const { body } = await judgeAnswer(dlp(), exchange);
    expect(body).toBe(JSON.stringify(candidate(parts.map(() => ({ text: '***' })))));
  });

  it('are emptied if they are signed, and their signatures stay', async () => {
    const thinking = (text: string): object => ({ type: 'thinking', thinking: text, signature: 'c2ln' });
    const content = [thinking(`to ${halves[0]}`), thinking(`${halves[1]} it`), thinking('Then.')];
    const exchange = answered({ body: message(content), provider: 'anthropic', path: '/v1/messages' });
    const { body } = await judgeAnswer(dlp(), exchange);
    expect(body).toBe(JSON.stringify(message([thinking(''), thinking(''), thinking('Then.')])));
  });

  it('do not join those of other candidates, tools, or results', async () => {
    const bodies: [object, ProviderName, string][] = [
      [{ candidates: halves.map((text) => ({ content: { parts: [{ text }] } })) }, 'gemini', GENERATE],
      [
        message([
          { type: 'text', text: halves[0] },
          { type: 'tool_use', id: 't', name: 'f', input: { text: halves[1] } },
        ]),
        'anthropic',
        '/v1/messages',
      ],
      [
        message([
          { type: 'text', text: halves[0] },
          { type: 'web_search_tool_result', content: [{ title: halves[1] }] },
        ]),
        'anthropic',
        '/v1/messages',
      ],
    ];
    for (const [body, provider, path] of bodies) {
      const judged = await judgeAnswer(dlp(), answered({ body, provider, path }));
      expect(judged.body).toBe(JSON.stringify(body));
    }
  });

  it('lose their tokens if something is found in all of them together', async () => {
    const tokens = ['to ', ...halves, '!'];
    const body = (parts: readonly string[], shown: readonly string[]): object => ({
      candidates: [
        {
          content: { parts: parts.map((text) => ({ text })) },
          logprobsResult: { chosenCandidates: shown.map((token) => ({ token, logProbability: -1 })) },
        },
      ],
    });
    async function judged(shown: readonly string[]): Promise<string | undefined> {
      const input = { body: body([`to ${halves[0]}`, `${halves[1]}!`], shown) };
      return (await judgeAnswer(dlp(), answered({ ...input, provider: 'gemini', path: GENERATE }))).body;
    }
    expect(await judged(tokens)).toBe(
      JSON.stringify(
        body(
          ['to ***', '!'],
          tokens.map(() => '***'),
        ),
      ),
    );
    expect(await judged(['to', '?'])).toBe(JSON.stringify(body(['to ***', '!'], ['***', '***'])));
  });

  it('are masked in the same way if there are ten thousand, each of one letter', async () => {
    const text = `${EMAIL} and ${CARD}, `.repeat(600);
    const members = [...text].map((letter) => ({ type: 'text', text: letter }));
    const exchange = answered({ body: message(members), provider: 'anthropic', path: '/v1/messages' });
    const { body } = await judgeAnswer(dlp(), exchange);
    const joined = textsOf(contentOf(JSON.parse(body ?? ''))).join('');
    expect(joined.replace(/\*{4,}/g, '***')).toBe('*** and ***, '.repeat(600));
  });
});
