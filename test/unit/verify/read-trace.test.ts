import { describe, expect, it } from 'vitest';
import { isPlainStep, traceStepSchema } from '../../../src/verify/schema.ts';
import { readAllOf, told } from './run-verify.ts';

const STEPS = [
  { type: 'llm_call', content: 'hello' },
  { type: 'mcp_tool_call', tool: 'read', args: { path: 'a' }, session_id: 's' },
];

describe('a document', () => {
  it('is read the same in any chunks', async () => {
    const text = JSON.stringify({ traces: STEPS, session_id: 'späte', agent: { name: 'x' } }, null, 1);
    const whole = await readAllOf(text);
    expect(told(whole)).toHaveLength(2);
    for (let size = 1; size < 40; size += 1) expect(await readAllOf(text, size)).toEqual(whole);
  });

  it('may name its session after its steps', async () => {
    const text = JSON.stringify({ traces: STEPS, session_id: 'late', agent: 'planner' });
    const read = await readAllOf(text);
    expect(told(read)).toEqual(['llm_call late hello', 'mcp_tool_call s read']);
    expect(read[0]).toMatchObject({ index: 0, line: 1, steps: [{ agent: { name: 'planner' } }] });
  });

  it('is unreadable if its session comes after too many steps', async () => {
    const step = { type: 'llm_call', content: 'x'.repeat(1_000_000) };
    const text = JSON.stringify({ traces: Array(12).fill(step), session_id: 'late' });
    const read = await readAllOf(text, 65_536);
    expect(read.filter(({ kind }) => kind === 'steps')).toHaveLength(12);
    expect(read.at(-1)).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining('session_id follows too many steps') as string,
    });
  });

  it('that is cut at any byte is judged up to the cut, and reported as cut', async () => {
    const text = JSON.stringify({ session_id: 's', traces: STEPS });
    for (let length = 0; length < text.length; length += 1) {
      const read = await readAllOf(text.slice(0, length), 7);
      expect(read.at(-1)).toMatchObject({ kind: 'unreadable' });
    }
  });

  it('yields the line of each element', async () => {
    const text = `[\n${STEPS.map((step) => JSON.stringify(step, null, 2)).join(',\n')}\n]`;
    expect((await readAllOf(text, 3)).map(({ line }) => line)).toEqual([2, 6]);
  });

  it.each([
    ['a duplicate name', '[{"type":"llm_call","content":"a","content":"b"}]'],
    ['endless nesting', `[{"type":"llm_call","content":${'['.repeat(5_000)}${']'.repeat(5_000)}}]`],
    ['NaN', '[{"type":"llm_call","content":"a","timestamp":NaN}]'],
    ['invalid UTF-8', Buffer.from([0x5b, 0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x5d])],
    ['an unknown type', '[{"type":"dance"}]'],
    ['no content', '[{"type":"llm_call"}]'],
    ['no tool', '[{"type":"mcp_tool_call","arguments":{}}]'],
    ['a tool that is a list', '[{"type":"mcp_tool_call","tool_name":["a"]}]'],
    ['an invalid time', '[{"type":"llm_call","content":"a","timestamp":"yesterday"}]'],
    ['an unknown provider', '[{"type":"llm_call","content":"a","provider":"nobody"}]'],
    ['a number', '[1]'],
    ['text that is not JSON', 'hello'],
    ['nothing', ''],
    ['only __proto__', '[{"__proto__":{"type":"llm_call","content":"a"}}]'],
  ])('with %s is reported as unreadable, and its neighbours are read', async (_what, text) => {
    const read = await readAllOf(text, 5);
    expect(read).toHaveLength(1);
    expect(read[0]).toMatchObject({ kind: 'unreadable', problem: expect.stringMatching(/\w/) as string });
  });

  it('is read except for an unreadable element', async () => {
    const text = JSON.stringify([STEPS[0], { type: 'dance' }, STEPS[1]]);
    expect(told(await readAllOf(text))).toEqual([
      'llm_call trace hello',
      'unreadable 1',
      'mcp_tool_call s read',
    ]);
  });
});

describe('a document that breaks off', () => {
  it.each([
    ['a comma is missing', (steps: string) => `[${steps}\n{"type":"dance"}]`],
    ['the document ends', (steps: string) => `[${steps},`],
  ])('is read up to where %s, in any chunks', async (_what, broken) => {
    const steps = STEPS.map((step) => JSON.stringify(step)).join(',');
    for (const chunkBytes of [1, 7, Infinity]) {
      expect(told(await readAllOf(broken(steps), chunkBytes))).toEqual([
        'llm_call trace hello',
        'mcp_tool_call s read',
        'unreadable 2',
      ]);
    }
  });
});

describe('lines', () => {
  it('are read one by one; a broken one does not affect the next', async () => {
    const lines = [JSON.stringify(STEPS[0]), '{"type":"llm_call","con', '', JSON.stringify(STEPS[1])];
    const read = await readAllOf(lines.join('\n'), 9);
    expect(told(read)).toEqual(['llm_call trace hello', 'unreadable 1', 'mcp_tool_call s read']);
    expect(read.map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  it('may follow a document, and begin with a byte order mark', async () => {
    const text = `\uFEFF${JSON.stringify(STEPS[0], null, 2)}\n${JSON.stringify(STEPS[1])}\n`;
    expect(told(await readAllOf(text))).toEqual(['llm_call trace hello', 'mcp_tool_call s read']);
  });
});

describe('chat messages', () => {
  it('become calls of a model and of the functions that it calls', async () => {
    const messages = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'read it' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'the file' },
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'and now' },
    ];
    const read = await readAllOf(JSON.stringify(messages));
    const steps = read.flatMap((one) => (one.kind === 'steps' ? one.steps : []));
    expect(steps.map(({ type }) => type)).toEqual([
      'llm_call',
      'llm_response',
      'mcp_tool_call',
      'mcp_tool_response',
      'llm_call',
      'llm_response',
      'llm_call',
    ]);
    expect(steps[2]).toMatchObject({ tool: 'read', arguments: { path: 'a' }, callId: 'c1' });
    expect(steps[3]).toMatchObject({ result: 'the file', callId: 'c1' });
    expect(steps[0]?.content).toEqual(messages.slice(0, 2));
  });
});

describe('request bodies', () => {
  it('are judged as they are; a call that a later body repeats counts once', async () => {
    const call = { id: 'c1', function: { name: 'read', arguments: '{}' } };
    const first = { model: 'gpt-4o', messages: [{ role: 'user', content: 'a' }] };
    const history = [
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ];
    const lines = [
      {
        session_id: 's',
        request: first,
        response: { choices: [{ message: { role: 'assistant', tool_calls: [call] } }] },
      },
      { session_id: 's', request: { ...first, messages: [...first.messages, ...history] } },
    ];
    const read = await readAllOf(lines.map((line) => JSON.stringify(line)).join('\n'));
    const steps = read.flatMap((one) => (one.kind === 'steps' ? one.steps : []));
    expect(steps.map(({ type, sessionId }) => `${type} ${sessionId}`)).toEqual([
      'llm_call s',
      'llm_response s',
      'mcp_tool_call s',
      'mcp_tool_response s',
      'llm_call s',
    ]);
    expect(steps[0]?.content).toEqual(first);
  });
});

describe('spans', () => {
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

  it('are ordered by their starts, under the conventions of GenAI', async () => {
    const tool = {
      traceId: 't',
      spanId: 'b',
      startTimeUnixNano: '1760000002000000000',
      attributes: [
        attribute('gen_ai.operation.name', 'execute_tool'),
        attribute('gen_ai.tool.name', 'read'),
        attribute('gen_ai.tool.call.arguments', '{"path":"a"}'),
        attribute('gen_ai.conversation.id', 'talk'),
      ],
    };
    const chat = {
      traceId: 't',
      spanId: 'a',
      startTimeUnixNano: '1760000001000000000',
      attributes: [
        attribute('gen_ai.operation.name', 'chat'),
        attribute('gen_ai.provider.name', 'azure.ai.openai'),
        attribute('gen_ai.conversation.id', 'talk'),
        attribute('gen_ai.input.messages', '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]'),
        attribute(
          'gen_ai.output.messages',
          '[{"role":"assistant","parts":[{"type":"text","content":"yes"}]}]',
        ),
      ],
    };
    const other = { traceId: 't', spanId: 'c', attributes: [attribute('http.method', 'GET')] };
    const document = {
      resourceSpans: [
        {
          resource: { attributes: [attribute('service.name', 'planner')] },
          scopeSpans: [{ scope: { name: 'x' }, spans: [tool, chat, other] }],
        },
      ],
    };
    const read = await readAllOf(JSON.stringify(document), 11);
    const steps = read.flatMap((one) => (one.kind === 'steps' ? one.steps : []));
    expect(steps.map(({ type }) => type)).toEqual(['llm_call', 'llm_response', 'mcp_tool_call']);
    expect(steps[0]).toMatchObject({ provider: 'azure', sessionId: 'talk', agent: { name: 'planner' } });
    expect(steps[2]).toMatchObject({ tool: 'read', arguments: { path: 'a' }, at: 1_760_000_002_000 });
    expect(read.filter(({ kind }) => kind === 'skipped')).toHaveLength(1);
  });
});

describe('log lines of the gateway', () => {
  it('have no prompt, only the tool that was called', async () => {
    const audit = { level: 'info', channel: 'audit', request_id: 'r', key_hash: 'sha256:k', msg: 'x' };
    const lines = [
      { ...audit, check: 'policy', reason: 'no', msg: 'denied' },
      { ...audit, audit: 'tool_response_inspected', server: 'files', tool: 'read' },
    ];
    const read = await readAllOf(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(read.map(({ kind }) => kind)).toEqual(['skipped', 'steps']);
    expect(read[1]).toMatchObject({
      steps: [{ tool: 'read', server: 'files', agent: { keyHash: 'sha256:k' } }],
    });
  });
});

describe('the gateway’s audit trail', () => {
  const finished = (over: object): object => ({
    class_uid: 6003,
    action_id: 1,
    time: 1_760_000_000_000,
    metadata: { correlation_uid: 'r-1' },
    actor: { user: { uid: 'sha256:ab', name: 'planner' }, session: { uid: 's-1' } },
    resources: [
      { type: 'mcp_server', name: 'files' },
      { type: 'mcp_tool', name: 'read' },
    ],
    unmapped: { stage: 'finished' },
    ...over,
  });

  it('yields each called tool once', async () => {
    const read = await readAllOf(
      [
        finished({ unmapped: { stage: 'forwarding' } }),
        finished({}),
        finished({ action_id: 2 }),
        finished({ class_uid: 2004 }),
        finished({ resources: [] }),
      ]
        .map((record) => JSON.stringify(record))
        .join('\n'),
    );
    expect(read.map(({ kind }) => kind)).toEqual(['skipped', 'steps', 'skipped', 'skipped', 'skipped']);
    expect(read[1]).toMatchObject({
      steps: [
        {
          type: 'mcp_tool_call',
          server: 'files',
          tool: 'read',
          sessionId: 's-1',
          at: 1_760_000_000_000,
          callId: 'r-1',
          agent: { keyHash: 'sha256:ab', name: 'planner' },
        },
      ],
    });
  });
});

const PLAIN_CALL = {
  type: 'llm_call',
  session_id: 's',
  model: 'm',
  content: ['x'],
  timestamp: '2026-01-05T10:00:00Z',
};

describe('a plain step', () => {
  it.each([
    PLAIN_CALL,
    { type: 'mcp_tool_call', tool_name: 'read', arguments: { a: 1 }, call_id: 'c', provider: 'files' },
    { type: 'mcp_tool_response', result: null, content: undefined },
  ])('is accepted unchanged by the schema: %o', (step) => {
    expect(isPlainStep(step)).toBe(true);
    expect(traceStepSchema.parse(step)).toEqual(step);
  });

  it.each([
    { ...PLAIN_CALL, session_id: 'x'.repeat(513) },
    { ...PLAIN_CALL, model: 7 },
    { ...PLAIN_CALL, is_error: 'true' },
    { ...PLAIN_CALL, tool_name: {} },
    { ...PLAIN_CALL, type: 'other' },
    { content: 'x' },
  ])('is never refused by the schema: %o', (step) => {
    expect(isPlainStep(step)).toBe(false);
    expect(traceStepSchema.safeParse(step).success).toBe(false);
  });
});
