import { beforeAll, describe, expect, it } from 'vitest';
import { createAnswerRewriter } from '../../../../src/inspect/whole/mask-answer.ts';
import { loadSeedWords } from '../../../../src/detectors/assets/seed-phrase.ts';
import type { StreamRewriter } from '../../../../src/pipeline/check.ts';
import { createMasksOf } from '../../../../src/policy/masking/masks.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import {
  contentDetector,
  DEFAULT_ACTIONS,
  MASK_ALL,
  rewriterOf,
  type ActionOf,
} from '../../../support/dlp-rewriter.ts';
import { DIALECT_STREAMS, type Piece } from '../../../support/dialect-streams.ts';
import { throughDlp } from '../../../support/dlp-sweep.ts';
import { list, object, type Json } from '../../../support/read-dialect-stream.ts';
import { seededPart } from '../../../support/seeded-part.ts';
import { contains, rule } from '../policy-mask/rig.ts';
import { AWS_KEY, CARD, EMAIL, PHONE, SSN } from './rig.ts';
import { makeSecret, seededRandom } from '../../detectors/secrets/samples.ts';
import { stepsThroughRewriters } from './wire-rig.ts';

const CODENAME = 'project blue falcon nine';
const SEED_PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PROJECT_KEY = makeSecret('github_token', seededRandom(3)).secret;

/** A text for each class of finding, and the finding. */
const SAMPLES: Readonly<Record<string, readonly [text: string, finding: string]>> = {
  'a cloud key': [`The key is ${AWS_KEY}, keep it. `, AWS_KEY],
  'a token': [`Take ${PROJECT_KEY} for it. `, PROJECT_KEY],
  'a password of small letters': ['Then password: correcthorse\nand so on. ', 'correcthorse'],
  'a passphrase of words': [
    'passphrase: "correct horse battery staple" it is. ',
    'correct horse battery staple',
  ],
  'a client secret': ['Set "client_secret": "GOCSPX-9aK2mmQz1", then. ', 'GOCSPX-9aK2mmQz1'],
  'a client secret in a document': ['{"client_secret": "GOCSPX-9aK2mmQz1", "a": 1}', 'GOCSPX-9aK2mmQz1'],
  'an account number': ['Pay to DE89 3704 0044 0532 0130 00 now. ', 'DE89 3704 0044 0532 0130 00'],
  'a wallet key': [
    'It is 5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ here. ',
    '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ',
  ],
  'a seed phrase': [`My phrase is ${SEED_PHRASE}. Yes. `, SEED_PHRASE],
  'a card number': [
    `Paid with ${CARD.replace(/(\d{4})(?=\d)/g, '$1 ')} now. `,
    CARD.replace(/(\d{4})(?=\d)/g, '$1 '),
  ],
  'a social security number': [`Her SSN is ${SSN}, she says. `, SSN],
  'a phone number': [`Call ${PHONE} now. `, PHONE],
  'an address': [`Ask ${EMAIL} for it. `, EMAIL],
  'an address of words': ['Ask billing@mail.example.net for it. ', 'billing@mail.example.net'],
  'words of a policy': [`We call it ${CODENAME}, you know. `, CODENAME],
};
const DLP_SAMPLES = Object.entries(SAMPLES).filter(([name]) => name !== 'words of a policy');
/** Events between the halves of a finding. The bound of waiting events is between 3 and 18. */
const COUNTS = [1, 3, 18, 200] as const;

const detectorOfAll = contentDetector({
  scanCredentials: true,
  scanIban: true,
  scanWalletKeys: true,
  scanSeedPhrases: true,
});

function rewriters(actionOf: ActionOf): StreamRewriter[] {
  const masks = createMasksOf()([rule('codename', contains(CODENAME))]);
  const byPolicy = masks && createAnswerRewriter(masks);
  if (byPolicy === undefined) throw new Error('the policy masks nothing');
  return [rewriterOf(detectorOfAll, { actionOf }), byPolicy];
}

interface Dialect {
  readonly provider: ProviderName;
  readonly path: string;
  readonly text: (text: string) => object;
  /** Events with other texts, in any number. */
  readonly others: Readonly<Record<string, object>>;
  readonly end: object;
  readonly textIn: (event: Json) => unknown;
}

const chunk = (delta: object, index = 0, finish: string | null = null): object => ({
  choices: [{ index, delta, finish_reason: finish }],
});
const called = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: ' ' } };
const chat = (provider: ProviderName, path: string, thought: string): Dialect => ({
  provider,
  path,
  text: (content) => chunk({ content }),
  others: {
    reasoning: chunk({ [thought]: 'Hm, so. ' }),
    'a tool call': chunk({ tool_calls: [called] }),
    'a second choice': chunk({ content: 'Yes, so. ' }, 1),
    'a refusal': chunk({ refusal: 'No, so. ' }),
  },
  end: chunk({}, 0, 'stop'),
  textIn: ({ choices }) =>
    list(choices)
      .filter(({ index }) => index === 0)
      .map(({ delta }) => object(delta)['content'] ?? '')
      .join(''),
});
const candidate = (part: object, index = 0): object => ({
  candidates: [{ index, content: { role: 'model', parts: [part] } }],
});
const said = (message: object): object => ({ message: { role: 'assistant', content: '', ...message } });

const cohereV2 = (type: string, message: object): object => ({ type, index: 0, delta: { message } });

const DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: chat('openai', '/v1/chat/completions', 'reasoning_content'),
  openrouter: chat('openrouter', '/v1/chat/completions', 'reasoning'),
  gemini: {
    provider: 'gemini',
    path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent',
    text: (text) => candidate({ text }),
    others: {
      reasoning: candidate({ text: 'Hm, so. ', thought: true }),
      'a tool call': candidate({ functionCall: { name: 'f', args: {} } }),
      'a part that is no text': candidate({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
      'a second choice': candidate({ text: 'Yes, so. ' }, 1),
    },
    end: { candidates: [{ index: 0, finishReason: 'STOP' }] },
    textIn: ({ candidates }) =>
      list(candidates)
        .filter(({ index }) => index === 0)
        .flatMap(({ content }) => list(object(content)['parts']))
        .map(({ text, thought }) => (thought === true ? '' : (text ?? '')))
        .join(''),
  },
  ollama: {
    provider: 'ollama',
    path: '/api/chat',
    text: (content) => said({ content }),
    others: {
      reasoning: said({ thinking: 'Hm, so. ' }),
      'a tool call': said({ tool_calls: [{ function: { name: 'f', arguments: {} } }] }),
    },
    end: { done: true },
    textIn: ({ message }) => object(message)['content'] ?? '',
  },
  'cohere v1': {
    provider: 'cohere',
    path: '/v1/chat',
    text: (text) => ({ event_type: 'text-generation', text }),
    others: {
      'a tool call': { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, parameters: ' ' } },
    },
    end: { event_type: 'stream-end', finish_reason: 'COMPLETE', response: {} },
    textIn: ({ text }) => text ?? '',
  },
  'cohere v2': {
    provider: 'cohere',
    path: '/v2/chat',
    text: (tool_plan) => cohereV2('tool-plan-delta', { tool_plan }),
    others: {
      'a tool call': cohereV2('tool-call-start', { tool_calls: { id: 'f_1', function: { arguments: '' } } }),
      'an answer': cohereV2('content-delta', { content: { text: 'Yes, so. ' } }),
    },
    end: { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
    textIn: ({ delta }) => object(object(delta)['message'])['tool_plan'] ?? '',
  },
};

/** The text as a client reads it. */
async function readThrough(
  { provider, path, textIn, end }: Dialect,
  events: readonly object[],
  actionOf = MASK_ALL,
): Promise<string> {
  const steps = await stepsThroughRewriters(rewriters(actionOf), provider, path, [...events, end]);
  return steps
    .flat()
    .map((event) => textIn(object(event)))
    .join('');
}

/** Places where a finding, or its name before it, can be cut: some of them in `npm test`. */
function cutsOf(label: string, text: string, finding: string): readonly number[] {
  return seededPart(`${label} ${finding}`, allCutsOf(text, finding), 1 / 4);
}

/** Every place; every fourth of a long finding. */
function allCutsOf(text: string, finding: string): number[] {
  const start = text.indexOf(finding);
  const from = Math.max(1, start - 12);
  const step = finding.length > 48 ? 4 : 1;
  return Array.from(
    { length: Math.ceil((start + finding.length - from) / step) },
    (_, at) => from + at * step,
  );
}

/** After 17 events of another text up to three plain words may have left, except those that a policy names. */
function begunWith(text: string, finding: string, at: number, count: number): string {
  const begun = text.slice(text.indexOf(finding), Math.max(at, text.indexOf(finding)));
  const mayLeave = count > 16 && finding !== CODENAME && /^(?:[A-Z]?[a-z]{1,16}\.? ?){1,3}$/.test(begun);
  return mayLeave ? begun : '';
}

beforeAll(loadSeedWords);

describe.each(Object.entries(DIALECTS))('a finding of %s is masked completely', (name, dialect) => {
  it.each(Object.entries(SAMPLES))(
    '%s, with anything between its halves',
    async (_class, [text, finding]) => {
      const whole = await readThrough(dialect, [dialect.text(text)]);
      expect(whole).toContain('***');
      const wrong: string[] = [];
      for (const [kind, other] of Object.entries(dialect.others)) {
        for (const at of cutsOf(`${name} ${kind}`, text, finding)) {
          for (const count of COUNTS) {
            // 200 events differ from 18 in nothing but time: at every seventh place.
            if (count === 200 && at % 7 !== 0) continue;
            const between = Array.from({ length: count }, () => other);
            const read = await readThrough(dialect, [
              dialect.text(text.slice(0, at)),
              ...between,
              dialect.text(text.slice(at)),
            ]);
            const begun = begunWith(text, finding, at, count);
            if (read !== whole && read !== whole.replace('***', `${begun}***`))
              wrong.push(`${kind}, ${String(count)}, ${text.slice(0, at)}: ${read}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe.each(Object.entries(DIALECTS))('a secret of %s cuts the stream', (dialectName, dialect) => {
  it.each(['a cloud key', 'a token'])('%s, with nothing of it sent', async (name) => {
    const [text = '', finding = ''] = SAMPLES[name] ?? [];
    const wrong: string[] = [];
    for (const [kind, other] of Object.entries(dialect.others)) {
      for (const at of cutsOf(`cut ${dialectName} ${kind}`, text, finding)) {
        const between = Array.from({ length: 18 }, () => other);
        const events = [dialect.text(text.slice(0, at)), ...between, dialect.text(text.slice(at))];
        const read = await readThrough(dialect, events, DEFAULT_ACTIONS);
        const begun = begunWith(text, finding, at, between.length);
        if (!(text.slice(0, text.indexOf(finding)) + begun).startsWith(read))
          wrong.push(`${kind}, ${text.slice(0, at)}: ${read}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(DIALECT_STREAMS)('a finding of $name is masked completely', (dialect) => {
  const beside = 'so, ';

  async function readBeside(pieces: readonly Piece[]): Promise<readonly [string, string]> {
    const { texts } = await throughDlp(dialect, [dialect.write(pieces)], detectorOfAll, MASK_ALL);
    return texts;
  }

  it.each(DLP_SAMPLES)('%s, with anything between its halves', async (_class, [text, finding]) => {
    const wrapped = dialect.wrap(text);
    const [whole] = await readBeside([{ of: 0, text: wrapped }]);
    expect(whole).toContain('***');
    const wrong: string[] = [];
    const cut = wrapped.includes(finding) ? finding : finding.slice(0, 4);
    for (const at of cutsOf(`beside ${dialect.name}`, wrapped, cut)) {
      for (const count of [1, 3, 18]) {
        const between = dialect.wrap(beside.repeat(count)).split(/(?<=, )/);
        const [read, other] = await readBeside([
          { of: 0, text: wrapped.slice(0, at) },
          ...between.map((piece): Piece => ({ of: 1, text: piece })),
          { of: 0, text: wrapped.slice(at) },
        ]);
        if (read !== whole || dialect.unwrap(other) !== beside.repeat(count)) {
          wrong.push(`${String(count)}, ${wrapped.slice(0, at)}: ${read}, ${other}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

it.each(Object.entries(DIALECTS))(
  '%s keeps its order and its pace if nothing is held back',
  async (_name, dialect) => {
    const { provider, path, text, others, end } = dialect;
    for (const other of Object.values(others)) {
      const events = [
        text('It is so, '),
        ...Array.from({ length: 200 }, () => other),
        text('it is so, '),
        end,
      ];
      const steps = await stepsThroughRewriters(rewriters(MASK_ALL), provider, path, events);
      expect(steps).toEqual([...events.map((event) => [event]), []]);
    }
  },
);
