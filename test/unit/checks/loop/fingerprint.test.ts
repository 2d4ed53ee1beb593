import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../../src/checks/loop/fingerprint.ts';
import { latestStep, type LoopStep } from '../../../../src/checks/loop/step.ts';
import { unpaddedWords } from '../../../../src/checks/loop/padding.ts';
import { hammingDistance } from '../../../../src/text/simhash.ts';
import { parsed, type RequestOptions } from '../../../support/exchange.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

const NOTHING: LoopStep = { userText: '', called: '', results: '', answer: '', tools: [], medium: '' };
/** Maximum difference in bits of 64 at similarity 0.95. */
const ALIKE_BITS = 3;

function distance(one: Partial<LoopStep>, other: Partial<LoopStep>, defeatPadding = false): number {
  const [left, right] = [one, other].map((step) => fingerprintOf({ ...NOTHING, ...step }, defeatPadding));
  if (left === undefined || right === undefined) throw new Error('a step without a fingerprint');
  return hammingDistance(left, right);
}

/** Made-up words, the same in every run. */
const words = (count: number): string =>
  Array.from(
    { length: count },
    (_, nth) =>
      `${'bdfglmnprst'[nth % 11] ?? ''}a${String.fromCharCode(97 + ((nth * 7) % 26))}o${String.fromCharCode(97 + (nth % 26))}`,
  ).join(' ');

describe('the fingerprint of a step', () => {
  it.each([5, 50, 500, 5_000])('distinguishes src/a.ts from src/b.ts after %i equal words', (count) => {
    const letters = [...'abcdefghijkl'];
    for (const [nth, letter] of letters.slice(1).entries()) {
      const before = letters[nth] ?? '';
      const told = distance(
        { userText: `${words(count)} fix src/${before}.ts` },
        { userText: `${words(count)} fix src/${letter}.ts` },
      );
      expect(told).toBeGreaterThan(ALIKE_BITS);
    }
  });

  it('distinguishes calls under a long instruction, by their arguments or results', () => {
    const userText = words(2_000);
    const called = 'read_file\n{"path":"src/a.ts"}';
    const results = 'status: running, 40 percent';
    expect(distance({ userText, called, results }, { userText, called, results })).toBe(0);
    expect(
      distance({ userText, called, results }, { userText, called: called.replace('a.ts', 'b.ts'), results }),
    ).toBeGreaterThan(3);
    expect(
      distance({ userText, called, results }, { userText, called, results: results.replace('40', '50') }),
    ).toBeGreaterThan(3);
  });

  it('ignores case, punctuation, blanks and politeness', () => {
    const userText = 'Fix the failing login test in src/web/login.ts';
    const same = 'Please, fix the failing  login test: in SRC/web/login.ts!';
    expect(distance({ userText }, { userText: same })).toBeLessThanOrEqual(ALIKE_BITS);
  });

  it.each([
    ['copy alpha to beta', 'copy beta to alpha'],
    ['alpha beta gamma delta eta', 'eta delta gamma beta alpha'],
    ['альфа бета гамма дельта эта', 'эта дельта гамма бета альфа'],
  ])('depends on the order of words: %s, %s', (one, other) => {
    expect(distance({ userText: one }, { userText: other })).toBeGreaterThan(0);
  });

  it('depends on the middle of a text too long to be read', () => {
    const [head, tail] = [words(4_000), words(4_000)];
    const one = { userText: `${head} one ${tail}` };
    expect(distance(one, { userText: `${head} two ${tail}` })).toBeGreaterThan(ALIKE_BITS);
    expect(distance(one, one)).toBe(0);
  });

  it('reads "continue" together with the answer that it follows', () => {
    const userText = 'Continue, please.';
    expect(
      distance({ userText, answer: 'Once upon a time' }, { userText, answer: 'The ship sank' }),
    ).toBeGreaterThan(3);
    const long = 'Describe the harbour of Bergen.';
    expect(distance({ userText: long, answer: 'one' }, { userText: long, answer: 'two' })).toBe(0);
  });

  it('distinguishes images, and texts of signs only', () => {
    const userText = 'What is in this picture?';
    expect(distance({ userText, medium: 'AAAA' }, { userText, medium: 'AAAB' })).toBeGreaterThan(ALIKE_BITS);
    expect(distance({ userText: '👍' }, { userText: '👎' })).toBeGreaterThan(ALIKE_BITS);
  });

  it('is empty without text', () => {
    expect(fingerprintOf(NOTHING, false)).toBeUndefined();
    expect(fingerprintOf({ ...NOTHING, userText: ' \n' }, true)).toBeUndefined();
  });

  it('takes a moment for 2 MiB of anything', () => {
    for (const unit of ['a', ' ', 'a ', 'a.', 'A1', 'src/a.ts ', '港口 ', '!?', 'ab cd ']) {
      const text = unit.repeat((2 << 20) / unit.length);
      for (const defeatPadding of [false, true]) {
        const take = () => fingerprintOf({ ...NOTHING, userText: text }, defeatPadding);
        expect(quickestCpuMs(take, 2)).toBeLessThan(150);
      }
    }
  });
});

describe('a text without its padding', () => {
  it.each([
    ['Attempt 17: fix the parser', ['fix', 'parser']],
    ['FIX   the***parser!!!', ['fix', 'parser']],
    ['fix the parser 9f86d081-884c-7d65-9a2f-eaa0c55ad015', ['fix', 'parser']],
    ['fix the parser aGVsbG8gd29ybGQgZm9vIGJhcg==', ['fix', 'parser']],
    ['xkqzv fix the parser wrtpl', ['fix', 'parser']],
    ['Good morning! Could you please fix the parser? Thanks a lot, kind regards', ['fix', 'parser', 'lot']],
    ['fix the parser very quietly very quietly very quietly', ['fix', 'parser']],
    ['2025-03-03T10:04:11Z fix the parser (Monday)', ['fix', 'parser']],
    ['src/parser.ts and src/loginForm2.ts', ['parser', 'login', 'form']],
    ['7 8 9', []],
  ])('%s', (text, left) => {
    expect(unpaddedWords(text)).toEqual(left);
  });

  it('keeps words that are different files', () => {
    const files = [
      'parser',
      'printer',
      'scanner',
      'linker',
      'loader',
      'README',
      'LICENSE',
      'index',
      'server',
    ];
    const steps = files.map((file) => ({ userText: `Fix src/${file}.ts` }));
    for (const [nth, step] of steps.slice(1).entries()) {
      expect(distance(step, steps[nth] ?? step, true)).toBeGreaterThan(ALIKE_BITS);
    }
  });

  it('is the unchanged text if all of it is padding', () => {
    expect(distance({ userText: '1 2 3' }, { userText: '4 5 6' }, true)).toBeGreaterThan(ALIKE_BITS);
  });
});

describe('the latest step', () => {
  const step = (body: RequestOptions['body'], more: Partial<RequestOptions> = {}): LoopStep =>
    latestStep(parsed({ body: { model: 'm', ...body }, ...more }));
  const call = (id: string, name: string, args: string) => ({
    role: 'assistant',
    content: 'Let me see.',
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  });

  it('is the last turn and, with chat completions, the last calls and their results', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Read both.' },
      call('1', 'read', '{"path":"a"}'),
      { role: 'tool', tool_call_id: '1', content: 'text of a' },
      call('2', 'read', '{"path":"b"}'),
      { role: 'tool', tool_call_id: '2', content: 'text of b' },
    ];
    expect(step({ messages })).toMatchObject({
      userText: 'Read both.',
      results: 'text of b',
      answer: '',
      tools: ['read'],
    });
    expect(step({ messages }).called).toContain('{"path":"b"}');
    expect(step({ messages }).called).not.toContain('{"path":"a"}');
    const later = [
      ...messages,
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks.' },
    ];
    expect(step({ messages: later })).toEqual({ ...NOTHING, userText: 'Thanks.', answer: 'Done.' });
  });

  it('with Anthropic’s messages has the tool’s name, and text beside a result is not a turn', () => {
    const use = (id: string, name: string, input: object) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name, input }],
    });
    const result = (id: string, content: string) => ({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content },
        { type: 'text', text: 'Remember the list.' },
      ],
    });
    const messages = [
      { role: 'user', content: 'Look around.' },
      use('1', 'list', { path: 'x' }),
      result('1', 'one'),
      use('2', 'view', { path: 'y' }),
      result('2', 'two'),
    ];
    const found = step({ messages, max_tokens: 9 }, { provider: 'anthropic', path: '/v1/messages' });
    expect(found).toMatchObject({ results: 'two', tools: ['view'] });
    expect(found.called).toMatch(/^view\n/);
    const silent = [...messages.slice(0, 3), use('2', 'wait', {}), result('2', 'three')];
    expect(
      step({ messages: silent, max_tokens: 9 }, { provider: 'anthropic', path: '/v1/messages' }),
    ).toMatchObject({ called: '', results: 'three' });
  });

  it('with the responses API takes items for messages', () => {
    const input = [
      { role: 'user', content: 'Look around.' },
      { type: 'function_call', call_id: '1', name: 'list', arguments: '{"path":"x"}' },
      { type: 'function_call_output', call_id: '1', output: 'one' },
      { type: 'function_call', call_id: '2', name: 'view', arguments: '{"path":"y"}' },
      { type: 'function_call_output', call_id: '2', output: 'two' },
    ];
    const found = step({ input }, { path: '/v1/responses' });
    expect(found).toMatchObject({ userText: 'Look around.', results: 'two', tools: ['view'] });
  });

  it('with Gemini has both', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Look around.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'list', args: { path: 'x' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'list', response: { files: 'one' } } }] },
    ];
    const path = '/v1beta/models/m:generateContent';
    const found = latestStep(parsed({ provider: 'gemini', path, body: { contents } }));
    expect(found.tools).toEqual(['list']);
    expect(found.results).toContain('one');
  });

  it('with Cohere’s API v1 begins with the message', () => {
    const chat_history = [
      { role: 'USER', message: 'Look around.' },
      { role: 'CHATBOT', message: '', tool_calls: [{ name: 'list', parameters: { path: 'x' } }] },
      { role: 'TOOL', tool_results: [{ call: { name: 'list' }, outputs: [{ text: 'one' }] }] },
    ];
    const body = { message: 'Thanks.', chat_history };
    expect(step(body, { provider: 'cohere', path: '/v1/chat' })).toMatchObject({
      userText: 'Thanks.',
      called: '',
      results: '',
    });
  });

  it('of a prompt alone is the prompt, with its image', () => {
    expect(step({ prompt: 'Say.' }, { path: '/v1/completions' })).toEqual({ ...NOTHING, userText: 'Say.' });
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
    ];
    expect(step({ messages: [{ role: 'user', content }] })).toEqual({
      ...NOTHING,
      userText: 'What is it?',
      medium: 'QUJD',
    });
  });
});
