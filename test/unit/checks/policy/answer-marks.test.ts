import { describe, expect, it } from 'vitest';
import { createAnswerMarksCheck } from '../../../../src/checks/policy/answer-marks.ts';
import type { Answered, Parsed } from '../../../../src/pipeline/exchange.ts';
import { policyCallOf } from '../../../../src/checks/policy/policy-call.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import type { TraceStep } from '../../../../src/policy/call.ts';
import { GatewayError } from '../../../../src/errors.ts';
import { answered, NEW_SESSION, streamEvent } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { parsed } from '../dlp/rig.ts';
import { event, textResult } from '../mcp-inspector/rig.ts';

interface Options {
  readonly needsSteps?: TraceStep['type'];
  readonly takes?: () => Promise<boolean>;
  readonly marksOf?: (step: TraceStep) => Promise<readonly string[]>;
}

async function rig(request: Parsed, { needsSteps, takes, marksOf }: Options = {}) {
  const noted: string[] = [];
  const steps: TraceStep[] = [];
  const troubles: unknown[] = [];
  const check = createAnswerMarksCheck({
    mark(_exchange, marks) {
      noted.push(...marks);
      return takes?.() ?? Promise.resolve(true);
    },
    onTrouble: (cause) => troubles.push(cause),
  });
  const call = policyCallOf(request);
  if (call === undefined) throw new Error('policies do not judge it');
  const set = {
    ...createCardSet([]),
    digest: '',
    close: () => Promise.resolve(),
    needsSteps: (type: TraceStep['type']) => type === needsSteps,
    marksOf:
      marksOf ??
      ((step: TraceStep) => {
        steps.push(step);
        return Promise.resolve(step.content.some((text) => text.includes('secret')) ? ['m'] : []);
      }),
  };
  request.facts.judged = { set, call };
  request.facts.session = { ...NEW_SESSION, state: undefined };
  const state = check.begin?.() ?? { judged: undefined, noteRest: undefined };
  await check.requestBody?.(request, state);
  request.facts.judged = undefined;
  return { check, state, noted, steps, troubles };
}

const SECRET = streamEvent({
  deltas: [{ channel: '0/text', kind: 'text', text: 'a secret', path: ['text'] }],
});

const chat = () => parsed({ body: { messages: [{ role: 'user', content: 'hi' }] } });
const tool = () => mcpExchange({ body: toolCall('read') });

function whole(request: Parsed, said: unknown): Answered {
  const body = Buffer.from(JSON.stringify(said));
  const exchange = answered(request, { readable: false });
  const one = { body, contentType: 'application/json', json: said, edits: [], replacement: undefined };
  return { ...exchange, answer: { ...exchange.answer, whole: one } };
}

describe('a session’s memory of answers', () => {
  it('is written before a tool’s answer is sent, for its texts with and without disguises', async () => {
    const request = tool();
    const { check, state, noted, steps } = await rig(request, { needsSteps: 'mcp_tool_response' });
    const verdict = await check.response?.(whole(request, textResult('a s\u200becret')), state);
    expect(verdict).toEqual({ kind: 'pass' });
    expect(noted).toEqual(['m']);
    expect(steps[0]).toMatchObject({ type: 'mcp_tool_response', provider: 'files', tool: 'read' });
  });

  it('is empty if no rule uses it', async () => {
    const request = tool();
    const { check, state, noted, steps } = await rig(request, { needsSteps: 'llm_response' });
    expect(await check.response?.(whole(request, textResult('secret')), state)).toEqual({ kind: 'pass' });
    expect(check.stream?.(whole(request, {}), state)).toBeUndefined();
    expect([...noted, ...steps]).toEqual([]);
  });

  it.each([
    ['the history of the session is full', { takes: () => Promise.resolve(false) }],
    ['the rules cannot be evaluated', { marksOf: () => Promise.reject(new Error('no')) }],
  ])('withholds the answer if %s', async (_why, options) => {
    const request = tool();
    const { check, state } = await rig(request, { needsSteps: 'mcp_tool_response', ...options });
    const verdict = await check.response?.(whole(request, textResult('secret')), state);
    expect(verdict).toMatchObject({ kind: 'deny', type: 'policy_denied' });
  });

  it('withholds the answer if Redis is gone', async () => {
    const request = tool();
    const gone = new GatewayError('redis_unavailable', 'gone');
    const { check, state } = await rig(request, {
      needsSteps: 'mcp_tool_response',
      takes: () => Promise.reject(gone),
    });
    const response = async () => check.response?.(whole(request, textResult('secret')), state);
    await expect(response()).rejects.toBe(gone);
  });

  it('is written before each event of a stream, which is cut if that fails', async () => {
    const request = tool();
    let room = true;
    const { check, state, noted } = await rig(request, {
      needsSteps: 'mcp_tool_response',
      takes: () => Promise.resolve(room),
    });
    const rewriter = check.stream?.(answered(request, { form: 'stream' }), state);
    const said = streamEvent({
      json: textResult('secret'),
      frame: { raw: Buffer.from(event({})), data: '{}' },
    });
    rewriter?.received?.(said);
    expect(await rewriter?.event?.(said)).toEqual({ kind: 'pass' });
    expect(noted).toEqual(['m']);
    room = false;
    rewriter?.received?.(said);
    expect(await rewriter?.event?.(said)).toMatchObject({ kind: 'cut' });
  });

  it('is written at the end of a streamed completion', async () => {
    const request = chat();
    const { check, state, noted } = await rig(request, { needsSteps: 'llm_response' });
    const exchange = answered(request, { form: 'stream' });
    const rewriter = check.stream?.(exchange, state);
    rewriter?.received?.(SECRET);
    expect(await rewriter?.event?.(SECRET)).toEqual({ kind: 'pass' });
    expect(noted).toEqual([]);
    expect(await rewriter?.end?.()).toBeUndefined();
    await check.end?.(exchange, { kind: 'complete' }, state);
    expect(noted).toEqual(['m']);
  });

  it('is written if the client left a streamed completion before its end', async () => {
    const request = chat();
    const { check, state, noted } = await rig(request, { needsSteps: 'llm_response' });
    const exchange = answered(request, { form: 'stream' });
    check.stream?.(exchange, state)?.received?.(SECRET);
    await check.end?.(exchange, { kind: 'broken_off' }, state);
    expect(noted).toEqual(['m']);
  });
});
