import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../src/json/edit.ts';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import type { Parsed, WholeAnswer } from '../../../../src/pipeline/exchange.ts';
import { newFacts } from '../../../../src/pipeline/facts.ts';
import { createRunner, type Run } from '../../../../src/pipeline/run.ts';
import type { ObservedVerdict } from '../../../../src/pipeline/enforcement.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { createAnyJsonReader } from '../../../../src/providers/dialects/any-json.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { composedOnMemory, rethrow } from '../../../support/composed-checks.ts';
import { answered, NO_RISK, parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { readAtOnce } from '../../../support/read-at-once.ts';

/** If two simultaneous calls both arm the session, one moves it, and the other is judged again in ARMED. */
const CARD = `metadata: { name: falcon }
fsm:
  initial_state: INIT
  transitions:
    - { from: INIT, to: ARMED, trigger: note }
    - { from: INIT, to: ARMED, trigger: { type: llm_call } }
rules:
  - name: early
    conditions:
      - { field: session.state, op: equals, value: INIT }
      - { field: prompt_text, op: contains, value: Robin }
    action: mask
  - name: armed
    conditions:
      - { field: session.state, op: equals, value: ARMED }
      - { field: prompt_text, op: contains, value: Falcon }
    action: mask
  - name: no-pro
    match: { model: 'openai/gpt-5-pro*' }
    conditions: [{ field: session.state, op: equals, value: ARMED }]
    action: deny
`;
const TEXT = 'Robin and Falcon fly';
/** The remaining text after the first judgement, and after both. */
const EARLY = '*** and Falcon fly';
const BOTH = '*** and *** fly';

interface Call {
  readonly run: Run;
  readonly exchange: Parsed;
}

interface AtOnce {
  readonly calls: readonly Call[];
  readonly denials: readonly unknown[];
  readonly states: readonly unknown[];
  readonly verdicts: readonly (ObservedVerdict & { readonly enforced: boolean })[];
}

/** Both are judged before either moves the session; either may be first. */
async function twoAtOnce(exchangeOf: () => Parsed, shadowMode = false): Promise<AtOnce> {
  const verdicts: (ObservedVerdict & { enforced: boolean })[] = [];
  const newRun = createRunner({
    checks: (await composedOnMemory({ config: { server: { shadow_mode: shadowMode } }, card: CARD })).checks,
    shadowMode,
    observer: {
      verdict: (_exchange, _check, verdict, enforced) => verdicts.push({ ...verdict, enforced }),
      enforceFailed: (_exchange, _check, cause) => rethrow(cause),
      endFailed: (_exchange, _check, cause) => rethrow(cause),
    },
  });
  const calls = [1, 2].map(() => ({ run: newRun(), exchange: exchangeOf() }));
  const judged = await Promise.all(
    calls.map(async (call) => ({
      call,
      denial: await sent(call),
      state: call.exchange.facts.session?.state,
    })),
  );
  const inOrder = judged.toSorted(
    (one, other) => Number(one.state === 'ARMED') - Number(other.state === 'ARMED'),
  );
  return {
    calls: inOrder.map(({ call }) => call),
    denials: inOrder.map(({ denial }) => denial),
    states: inOrder.map(({ state }) => state),
    verdicts,
  };
}

const HEADERS = { 'x-gateway-session-id': 'one' };

function toolExchange(args: object = { text: TEXT }): Parsed {
  const body = toolCall('note', { ...args });
  return {
    ...mcpExchange({ body, headers: HEADERS, key: { keyHash: 'sha256:k' } }),
    facts: newFacts(NO_RISK),
  };
}

function modelExchange(provider: 'openai' | 'openrouter' = 'openai', members: JsonObject = {}): Parsed {
  const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: TEXT }], ...members };
  const exchange = parsed({ provider, body, keyHash: 'sha256:k' });
  const key = { ...exchange.key, provider };
  return { ...exchange, key, headers: new Map(Object.entries(HEADERS)) };
}

async function sent({ run, exchange }: Call) {
  return (await run.requestHeaders(exchange)) ?? (await run.requestBody(exchange));
}

function bodyOf({ exchange }: Call): string {
  return applyEdits(exchange.body, exchange.edits).toString();
}

function wholeAnswer(result: object): WholeAnswer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  const { json } = readAtOnce(body);
  return { body, contentType: 'application/json', json, edits: [], replacement: undefined };
}

/** A client's view of an answer with these events. */
async function streamed({ run, exchange }: Call, pieces: readonly Buffer[]): Promise<string> {
  const answer = answered(exchange, { form: 'stream' });
  expect(await run.response(answer)).toBeUndefined();
  const stream = createAnswerStream({
    answer: answer.answer,
    format: sse,
    reader: exchange.endpoint.dialect.stream(exchange.request) ?? createAnyJsonReader(),
    rewriters: run.rewriters(answer),
  });
  const out: Buffer[] = [];
  for (const piece of pieces) out.push((await stream.push(piece)).bytes);
  out.push((await stream.end()).bytes);
  return Buffer.concat(out).toString();
}

async function answeredWhole({ run, exchange }: Call): Promise<string> {
  const whole = wholeAnswer({ content: [{ type: 'text', text: TEXT }] });
  const answer = answered(exchange);
  expect(await run.response({ ...answer, answer: { ...answer.answer, whole } })).toBeUndefined();
  return applyEdits(whole.body, whole.edits).toString();
}

/** A completion whose text arrives a few letters at a time, and a tool result after a message. */
const COMPLETION = `${(TEXT.match(/.{1,3}/g) ?? [])
  .map((content) => eventOf({ id: 'a', choices: [{ index: 0, delta: { content } }] }))
  .join('')}data: [DONE]\n\n`;
const RESULT =
  eventOf({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: TEXT } }) +
  eventOf({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: TEXT }] } });

function eventOf(json: object): string {
  return `data: ${JSON.stringify(json)}\n\n`;
}

function completionIn(stream: string): string {
  return dataIn(stream)
    .map((one) => (one as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '')
    .join('');
}

function dataIn(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as unknown);
}

describe('a call that is judged again, since another call changed the session', () => {
  it('is forwarded with the masks of both judgements', async () => {
    const { calls, denials, states } = await twoAtOnce(toolExchange);
    expect(denials).toEqual([undefined, undefined]);
    expect(states).toEqual([undefined, 'ARMED']);
    expect(calls.map(bodyOf)).toMatchObject([
      expect.stringContaining(`"${EARLY}"`) as string,
      expect.stringContaining(`"${BOTH}"`) as string,
    ]);
  });

  it('is answered with the masks of both judgements', async () => {
    const { calls } = await twoAtOnce(toolExchange);
    expect(await Promise.all(calls.map(answeredWhole))).toMatchObject([
      expect.stringContaining(`"${EARLY}"`) as string,
      expect.stringContaining(`"${BOTH}"`) as string,
    ]);
  });

  it('is answered with both masks in a streamed completion, wherever its bytes are cut', async () => {
    const bytes = Buffer.from(COMPLETION);
    const { calls, states } = await twoAtOnce(() => modelExchange());
    expect(states).toEqual([undefined, 'ARMED']);
    for (const [index, text] of [EARLY, BOTH].entries()) {
      const call = calls[index] as Call;
      expect(bodyOf(call)).toContain(`"${text}"`);
      for (let at = 0; at <= bytes.length; at += 1) {
        const sent = await streamed(call, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect(completionIn(sent)).toBe(text);
        expect(sent).toContain(': x-gateway-dlp-redacted=true');
      }
    }
  });

  it("is answered with both masks in an MCP server's events, wherever their bytes are cut", async () => {
    const bytes = Buffer.from(RESULT);
    const { calls } = await twoAtOnce(toolExchange);
    for (const [index, text] of [EARLY, BOTH].entries()) {
      for (let at = 0; at <= bytes.length; at += 1) {
        const sent = await streamed(calls[index] as Call, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect(dataIn(sent)).toMatchObject([
          { params: { data: text } },
          { result: { content: [{ type: 'text', text }] } },
        ]);
      }
    }
  });

  it('is judged again for every model that it names', async () => {
    const models = ['a/b', 'openai/gpt-5-pro'];
    const { denials, states } = await twoAtOnce(() => modelExchange('openrouter', { models }));
    expect(states).toEqual([undefined, 'ARMED']);
    expect(denials).toMatchObject([
      undefined,
      { type: 'policy_denied', message: expect.stringContaining('several models') as string },
    ]);
  });

  it('is not forwarded if the second one’s match cannot be masked', async () => {
    const { denials } = await twoAtOnce(() => toolExchange({ Falcon: 'flies' }));
    expect(denials).toMatchObject([undefined, { type: 'policy_denied' }]);
  });
});

describe('a call that is judged again in shadow mode', () => {
  const wouldMask = (rule: string, side: 'request' | 'answer'): unknown =>
    expect.objectContaining({ kind: 'rewrite', reason: `masked in the ${side}: ${rule}`, enforced: false });

  it('is forwarded and answered unchanged, and the masks of both judgements are recorded', async () => {
    const { calls, denials, states, verdicts } = await twoAtOnce(toolExchange, true);
    expect(denials).toEqual([undefined, undefined]);
    expect(states).toEqual([undefined, 'ARMED']);
    for (const call of calls) {
      expect(bodyOf(call)).toBe(call.exchange.body.toString());
      expect(await answeredWhole(call)).toContain(`"${TEXT}"`);
      expect(await streamed(call, [Buffer.from(RESULT)])).toBe(RESULT);
    }
    expect(verdicts).toEqual(
      expect.arrayContaining([wouldMask('early', 'request'), wouldMask('armed', 'request')]),
    );
  });

  it('is answered unchanged in a streamed completion, and the masks of both judgements are recorded', async () => {
    const { calls, verdicts } = await twoAtOnce(() => modelExchange(), true);
    for (const call of calls) {
      expect(bodyOf(call)).toBe(call.exchange.body.toString());
      expect(await streamed(call, [Buffer.from(COMPLETION)])).toBe(COMPLETION);
    }
    expect(verdicts).toEqual(
      expect.arrayContaining([wouldMask('early', 'answer'), wouldMask('armed', 'answer')]),
    );
  });
});
