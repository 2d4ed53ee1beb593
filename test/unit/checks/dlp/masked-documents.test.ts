import { describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { contentDetector } from '../../../support/dlp-rewriter.ts';
import { seededRandom } from '../../detectors/secrets/samples.ts';
import { ADDRESS, answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, PHONE, SSN } from './rig.ts';

/** Places in an answer for a model's JSON document: `#` marks the document, `"#"` the document as a string. */
const PLACES: readonly (readonly [string, ProviderName, string, string])[] = [
  [
    'tool calls of chat',
    'openai',
    '/v1/chat/completions',
    '{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"#"}}]}}]}',
  ],
  [
    'function_call of chat',
    'openai',
    '/v1/chat/completions',
    '{"choices":[{"message":{"function_call":{"name":"f","arguments":"#"}}}]}',
  ],
  [
    'arguments of Mistral as an object',
    'mistral',
    '/v1/chat/completions',
    '{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":#}}]}}]}',
  ],
  [
    'function calls of responses',
    'openai',
    '/v1/responses',
    '{"output":[{"type":"function_call","arguments":"#"}]}',
  ],
  [
    'tool_use of Anthropic',
    'anthropic',
    '/v1/messages',
    '{"content":[{"type":"tool_use","name":"f","input":#}]}',
  ],
  [
    'functionCall of Gemini',
    'gemini',
    '/v1beta/models/gemini-2.5-flash:generateContent',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":#}}]}}]}',
  ],
  [
    'toolUse of Converse',
    'bedrock',
    '/model/anthropic.claude-sonnet-4/converse',
    '{"output":{"message":{"content":[{"toolUse":{"name":"f","input":#}}]}}}',
  ],
  [
    'tool calls of Cohere',
    'cohere',
    '/v2/chat',
    '{"message":{"tool_calls":[{"function":{"name":"f","arguments":"#"}}]}}',
  ],
  [
    'tool calls of Ollama',
    'ollama',
    '/api/chat',
    '{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":#}}]}}',
  ],
  [
    'structured output of chat',
    'openai',
    '/v1/chat/completions',
    '{"choices":[{"message":{"content":"#"}}]}',
  ],
  [
    'structured output of responses',
    'openai',
    '/v1/responses',
    '{"output":[{"type":"message","content":[{"type":"output_text","text":"#"}]}]}',
  ],
  [
    'structured output of Anthropic, after another text',
    'anthropic',
    '/v1/messages',
    '{"content":[{"type":"text","text":"So: "},{"type":"text","text":"#"}]}',
  ],
  [
    'structured output of Gemini',
    'gemini',
    '/v1beta/models/gemini-2.5-flash:generateContent',
    '{"candidates":[{"content":{"parts":[{"text":"#"}]}}]}',
  ],
];

const FOUND = [EMAIL, CARD, SSN, PHONE, ADDRESS, AWS_KEY, CARD.replace(/(\d{4})(?=\d)/g, '$1 ')];
const CLEAN = ['', 'hello', 'a "quoted" \\ one', 'é\u{1F600}', '\ud800', 'x\n\ty', '/a/b', 'null', '{"a":1}'];
const NUMBERS = [CARD, `-${CARD}`, '0', '-0.5', '1e9', '1.5E+10', '12345678901234567890', '42'];
const NAMES = ['to', 'card', 'api_key', 'phone', 'data', 'n'];

/** A document with findings in texts, numbers and names, in odd spellings. */
function documentOf(random: () => number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  const gap = (): string => (random() < 0.2 ? pick([' ', '\n', '\t ']) : '');
  let names = 0;
  const text = (): string =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random() < 0.4 ? FOUND : CLEAN)).join(
      ' ',
    );
  const escaped = (letter: string): string =>
    [...letter.matchAll(/[^]/g)]
      .map(([unit]) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  function written(value: string): string {
    if (random() < 0.6) return JSON.stringify(value);
    const letters = [...value].map((letter) =>
      random() < 0.3 ? escaped(letter) : JSON.stringify(letter).slice(1, -1),
    );
    return `"${letters.join('')}"`;
  }
  const members = (depth: number, least: number): string =>
    Array.from({ length: least + Math.floor(random() * 4) }, () => {
      names += 1;
      const name = `${random() < 0.15 ? pick(FOUND) : pick(NAMES)} ${String(names)}`;
      return `${written(name)}${gap()}:${gap()}${value(depth + 1)}`;
    }).join(`${gap()},${gap()}`);
  function value(depth: number): string {
    const kind = random();
    if (depth > 3 || kind < 0.4) return written(text());
    if (kind < 0.6) return pick(NUMBERS);
    if (kind < 0.65) return pick(['true', 'false', 'null']);
    if (kind < 0.75) return written(value(depth + 1));
    if (kind < 0.85) return `[${gap()}${value(depth + 1)},${gap()}${value(depth + 1)}]`;
    return `{${members(depth, 0)}}`;
  }
  return `{${gap()}${members(0, 1)}${gap()}}`;
}

const detector = contentDetector();
const holds = (value: unknown): boolean => detector.find(String(value)).length > 0;

/** Faults of a masked answer: something is left, or something else is gone. */
function* faults(before: unknown, after: unknown, at = ''): Generator<string, void> {
  if (typeof before === 'string' || typeof before === 'number') {
    if (holds(after)) yield `${at} is left: ${String(after)}`;
    if (!holds(before) && after !== before && !String(after).includes('***')) yield `${at} changed`;
    if (typeof before === 'number' && holds(before) && after !== '***') yield `${at} is no mask`;
  } else if (typeof before !== 'object' || before === null) {
    if (after !== before) yield `${at} changed`;
  } else if (typeof after !== 'object' || after === null || Array.isArray(after) !== Array.isArray(before)) {
    yield `${at} is another kind`;
  } else {
    for (const name of Object.keys(after)) if (holds(name)) yield `${at}: the name ${name} is left`;
    const left = new Map(Object.entries(after));
    for (const [name, value] of Object.entries(before)) {
      if (holds(name)) continue;
      if (left.has(name)) yield* faults(value, left.get(name), `${at}.${name}`);
      else yield `${at}.${name} is gone`;
    }
  }
}

/** The document in an answer at the place of `#`. */
function read(form: string, body: string): unknown {
  const isString = form.includes('"#"');
  const [head = '', tail = ''] = form.split(isString ? '"#"' : '#');
  expect([body.slice(0, head.length), body.slice(-tail.length)]).toEqual([head, tail]);
  const inside: unknown = JSON.parse(body.slice(head.length, -tail.length));
  return typeof inside === 'string' && isString ? JSON.parse(inside) : inside;
}

describe.each(PLACES)('a JSON document in %s', (_place, provider, path, form) => {
  it('is masked everywhere, stays JSON, and loses nothing else', async () => {
    const random = seededRandom(17);
    const wrong: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const json = documentOf(random);
      const body = form.replace('#', () => (form.includes('"#"') ? JSON.stringify(json).slice(1, -1) : json));
      const judged = await judgeAnswer(dlp({ action: 'mask' }), answered({ body, provider, path }));
      for (const fault of faults(JSON.parse(json), read(form, judged.body ?? ''))) {
        wrong.push(`${fault} in ${json}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a text that begins like JSON', () => {
  async function masked(content: string, more: object = {}): Promise<string | undefined> {
    const body = { choices: [{ message: { content }, ...more }] };
    return (await judgeAnswer(dlp(), answered({ body }))).body;
  }
  const chat = (content: string, more: object = {}): string =>
    JSON.stringify({ choices: [{ message: { content }, ...more }] });

  it.each([
    ['prose', `[1] Card ${CARD}`, '[1] Card ***'],
    ['truncated JSON', `{"card":${CARD}`, '{"card":***'],
    ['JSON nested deeper than the limit', `${'['.repeat(300)}${CARD}`, `${'['.repeat(300)}***`],
  ])('is masked as a text if it is %s', async (_what, content, expected) => {
    expect(await masked(content)).toBe(chat(expected));
  });

  it('loses all of its tokens, whether or not its escapes hide the text', async () => {
    const logprobs = (tokens: readonly string[]): object => ({
      logprobs: { content: tokens.map((token) => ({ token, logprob: -1 })) },
    });
    const half = EMAIL.indexOf('@');
    const pieces = ['{"to":"', EMAIL.slice(0, half), '\\u0040', EMAIL.slice(half + 1), '"}'];
    expect(await masked(pieces.join(''), logprobs(pieces))).toBe(
      chat('{"to":"***"}', logprobs(pieces.map(() => '***'))),
    );
    const plain = ['{"n":', CARD.slice(0, 9), CARD.slice(9), ',"x":1}'];
    expect(await masked(plain.join(''), logprobs(plain))).toBe(
      chat('{"n":"***","x":1}', logprobs(plain.map(() => '***'))),
    );
  });
});
