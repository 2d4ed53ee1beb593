import { describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { list, object, type Json } from '../../../support/read-dialect-stream.ts';
import { stepsThrough } from './wire-rig.ts';

const MAIL = ['jane.doe', 'mail.example.com'].join('@');

/** A stream in order, as a client reads it: names of texts, each with its consecutive text. */
function readingOf(sent: readonly unknown[]): string {
  const said: { name: string; text: string }[] = [];
  function add(name: string, text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    const last = said.at(-1);
    if (last?.name === name) last.text += text;
    else said.push({ name, text });
  }
  for (const event of sent) addEvent(object(event), add);
  return said.map(({ name, text }) => `${name}: ${text}`).join(' | ');
}

function addEvent(event: Json, add: (name: string, text: unknown) => void): void {
  for (const choice of list(event['choices'])) {
    const delta = object(choice['delta']);
    add('thought', delta['reasoning'] ?? delta['reasoning_content']);
    add('text', delta['content']);
    add('refusal', delta['refusal']);
    for (const { function: called } of list(delta['tool_calls'])) {
      add('call', object(called)['name']);
      add('call', object(called)['arguments']);
    }
  }
  for (const { content } of list(event['candidates'])) {
    for (const { text, thought, ...rest } of list(object(content)['parts'])) {
      add(thought === true ? 'thought' : 'text', text);
      if (Object.keys(rest).length > 0) add('call', JSON.stringify(rest));
    }
  }
  const { thinking, content, tool_calls: calls } = object(event['message']);
  add('thought', thinking);
  add('text', content);
  if (list(calls).length > 0) add('call', JSON.stringify(calls));
  add('text', event['text']);
  const { name, parameters } = object(event['tool_call_delta']);
  add('call', name);
  add('call', parameters);
}

const chunk = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (more: object): object => chunk({ tool_calls: [{ index: 0, ...more }] });
const chatOf = (thought: string): Dialect => ({
  thought: (text) => chunk({ [thought]: text }),
  text: (content) => chunk({ content }),
  call: [
    call({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }),
    call({ function: { arguments: '{"a":1}' } }),
  ],
  end: chunk({}, 'tool_calls'),
});
const part = (one: object): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [one] } }],
});

interface Dialect {
  readonly thought?: (text: string) => object;
  readonly text: (text: string) => object;
  readonly call: readonly object[];
  readonly end: object;
}

const ROWS: readonly (readonly [name: string, provider: ProviderName, path: string, dialect: Dialect])[] = [
  ['openai', 'openai', '/v1/chat/completions', chatOf('reasoning_content')],
  ['xai', 'xai', '/v1/chat/completions', chatOf('reasoning_content')],
  ['deepseek', 'deepseek', '/chat/completions', chatOf('reasoning_content')],
  ['openrouter', 'openrouter', '/v1/chat/completions', chatOf('reasoning')],
  [
    'gemini',
    'gemini',
    '/v1beta/models/gemini-2.5-pro:streamGenerateContent',
    {
      thought: (text) => part({ text, thought: true }),
      text: (text) => part({ text }),
      call: [part({ functionCall: { name: 'f', args: {} } })],
      end: { candidates: [{ index: 0, finishReason: 'STOP' }] },
    },
  ],
  [
    'ollama',
    'ollama',
    '/api/chat',
    {
      thought: (thinking) => ({ message: { role: 'assistant', content: '', thinking }, done: false }),
      text: (content) => ({ message: { role: 'assistant', content }, done: false }),
      call: [
        {
          message: {
            role: 'assistant',
            content: '',
            tool_calls: [{ function: { name: 'f', arguments: {} } }],
          },
        },
      ],
      end: { done: true },
    },
  ],
  [
    'cohere v1',
    'cohere',
    '/v1/chat',
    {
      text: (text) => ({ event_type: 'text-generation', text }),
      call: [
        { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, name: 'f' } },
        { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, parameters: '{"a":1}' } },
      ],
      end: { event_type: 'stream-end', finish_reason: 'COMPLETE', response: {} },
    },
  ],
];

/** Ends of texts that are held back: a word, a number, the possible beginning of a key or of an address. */
const ENDS = ['think', 'answer is 42', 'sk-ant-api03-Ab', 'jane.d', MAIL, '['];

describe.each(ROWS)('a stream of %s', (_name, provider, path, { thought, text, call: calls, end }) => {
  it.each(ENDS)('keeps the order of its texts, one of which ends in %s', async (last) => {
    const thoughts = thought === undefined ? [] : [thought('I '), thought(last)];
    const events = [...thoughts, text('So '), text(last), ...calls, end];
    const before = readingOf(events).replaceAll(MAIL, '***');
    const steps = await stepsThrough(provider, path, events);
    expect(readingOf(steps.flat())).toBe(before);
    expect(readingOf((await stepsThrough(provider, path, events, 2)).flat())).toBe(before);
  });

  it.each([
    'see 4539 1488',
    'ask jane.d',
    'use API',
    'the password is corr',
    'the api key: abc',
    'so well-kno',
    'a camelCa',
    'a café',
    'an abcdefghijklmnopq',
  ])('delays an answer for %s, but not for long', async (held) => {
    if (thought === undefined) return;
    const answer = Array.from({ length: 20 }, (_, at) => text(`word ${String(at)}, `));
    const steps = await stepsThrough(provider, path, [thought('Well, I '), thought(held), ...answer, end]);
    const word = /\S+( 1488)?$/.exec(held)?.[0] ?? '';
    const left = `thought: Well, I ${held.slice(0, -word.length)}`;
    expect(readingOf(steps.slice(0, 19).flat())).toBe(left);
    expect(readingOf(steps.slice(0, 20).flat())).toContain(`${left} | text: word 0, word 1, `);
    expect(readingOf(steps.flat())).toMatch(new RegExp(`\\| thought: ${word}$`));
  });

  it.each(['I am done.', 'So think', 'Now, let us go. ', 'Ask Jane', 'than I'])(
    'sends reasoning that ends in %s completely before a long answer',
    async (last) => {
      if (thought === undefined) return;
      const answer = Array.from({ length: 200 }, (_, at) => text(`word ${String(at)}, `));
      const events = [thought('It is so.\n'), thought(last), ...answer, end];
      const steps = await stepsThrough(provider, path, events);
      const whole = `thought: It is so.\n${last} | text: word 0, `;
      expect(readingOf(steps.slice(0, 20).flat()).slice(0, whole.length)).toBe(whole);
      expect(readingOf(steps.flat())).toBe(readingOf(events));
    },
  );

  it('masks the rest of an address of which plain words were sent', async () => {
    if (thought === undefined) return;
    const think = thought;
    const between = Array.from({ length: 18 }, () => text('so, '));
    async function read(...parts: string[]): Promise<string> {
      const events = [...parts.flatMap((part) => [think(part), ...between]), end];
      const sent = (await stepsThrough(provider, path, events)).flat();
      return readingOf(sent)
        .split(' | ')
        .flatMap((part) => (part.startsWith('thought: ') ? [part.slice('thought: '.length)] : []))
        .join('');
    }
    expect(await read('Ask jane', MAIL.slice('jane'.length), ', please.\n')).toBe('Ask jane***, please.\n');
    expect(await read('Ask jane', '.do', MAIL.slice('jane.do'.length), ', please.\n')).toBe(
      'Ask jane***, please.\n',
    );
    expect(await read('Ask jane', '. ', 'Then go.\n')).toBe('Ask jane. Then go.\n');
  });

  it('does not delay an answer if nothing is held back', async () => {
    if (thought === undefined) return;
    const events = [thought('I see.\n\n'), text('So, ')];
    expect(await stepsThrough(provider, path, events)).toEqual([...events.map((event) => [event]), []]);
  });

  it('masks a finding across a text and the next of its kind', async () => {
    if (thought === undefined) return;
    for (let at = 1; at < MAIL.length; at += 1) {
      const events = [text(`1 ${MAIL.slice(0, at)}`), thought('Hm, '), text(`${MAIL.slice(at)}, yes. `), end];
      const read = readingOf((await stepsThrough(provider, path, events)).flat());
      expect(read).toBe('text: 1 *** | thought: Hm,  | text: , yes. ');
    }
  });

  it('lets other text pass held text if much is waiting', async () => {
    if (thought === undefined) return;
    const long = text('word, '.repeat(60_000));
    const steps = await stepsThrough(provider, path, [thought('see 4539 1488'), long, long, text('so, ')]);
    expect(readingOf(steps[1] ?? [])).toBe('');
    expect(readingOf(steps[2] ?? [])).toMatch(/^text: word, /);
  });
});

it('a Gemini event with held text and a call does not wait for long', async () => {
  const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
  const call = { functionCall: { name: 'f', args: {} } };
  const mixed = { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'jane' }, call] } }] };
  const steps = await stepsThrough('gemini', path, [mixed, ...Array.from({ length: 17 }, () => part(call))]);
  expect(steps.slice(0, 17).flat()).toEqual([]);
  expect(steps[17]).toHaveLength(18);
  expect(readingOf(steps.flat())).toMatch(/^text: jane \| call: [^|]*$/);
});

describe('OpenRouter’s two copies of reasoning', () => {
  it('are sent in one event', async () => {
    const details = (text: string): object =>
      chunk({
        role: 'assistant',
        content: '',
        reasoning: text,
        reasoning_details: [{ type: 'reasoning.text', text, format: 'anthropic-claude-v1' }],
      });
    const events = [details('Let me '), details('think'), chunk({ role: 'assistant', content: 'So.' })];
    const sent = (await stepsThrough('openrouter', '/v1/chat/completions', events)).flat();
    const thoughts = sent.flatMap((event) =>
      list(object(event)['choices']).map((choice) => {
        const delta = object(choice['delta']);
        return [delta['reasoning'] ?? '', list(delta['reasoning_details'])[0]?.['text'] ?? ''];
      }),
    );
    expect(thoughts).toEqual([
      ['Let me ', 'Let me '],
      ['think', 'think'],
      ['', ''],
    ]);
    expect(JSON.stringify(sent[1])).toContain('"format":"anthropic-claude-v1"');
  });
});

it('simultaneous choices do not wait for each other', async () => {
  const of = (index: number, delta: object): object => ({ choices: [{ index, delta, finish_reason: null }] });
  const steps = await stepsThrough('openai', '/v1/chat/completions', [
    of(0, { content: 'It is 4539 1488' }),
    of(1, { content: 'Yes, ' }),
    of(0, { content: ', so. ' }),
  ]);
  expect(steps[1]).toEqual([of(1, { content: 'Yes, ' })]);
});
