import { type Form, GENERATE, candidate, message, contentOf, textsOf, FORMS } from './joined-forms.ts';
import { describe, expect, it } from 'vitest';
import { mask } from '../../../../src/detectors/mask.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { contentDetector } from '../../../support/dlp-rewriter.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';
import { everyCut, randomPieces } from './cuts.ts';
import { answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, PHONE, SSN } from './rig.ts';

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
