import { GatewayError } from '../errors.ts';
import type { Identified, Parsed } from '../pipeline/exchange.ts';
import { asDenial } from '../pipeline/check.ts';
import type { AgentRisk } from '../pipeline/facts.ts';
import { parseRequest } from '../pipeline/parse.ts';
import type { Run } from '../pipeline/run.ts';
import { answerTo, unseenAnswer } from './answer.ts';
import { gatewayCall } from './exchange.ts';
import type { TraceFinding } from './finding.ts';
import type { FindingCollector } from './findings.ts';
import { createOpenCalls, type OpenCall } from './open-calls.ts';
import { isCall, type TracePlace, type TracedStep } from './step.ts';

export interface ReplayDeps {
  readonly newRun: () => Run;
  readonly findings: FindingCollector;
  readonly riskOf: (keyHash: string) => Promise<AgentRisk>;
}

const NOTHING = Buffer.alloc(0);

/** Runs a trace's steps through the checks in order, as for live traffic. */
export interface Replay {
  /** Returns the findings of this step, and of earlier calls that now count as answered. */
  step(step: TracedStep, place: TracePlace): Promise<readonly TraceFinding[]>;
  end(): Promise<readonly TraceFinding[]>;
  readonly counts: ReplayCounts;
}

export interface ReplayCounts {
  calls: number;
  responses: number;
  /** Number of responses to denied calls, which would not exist on the wire. */
  afterDenial: number;
}

/**
 * A denied call does not join the session's history, and its recorded response is not judged. Allowed calls count as
 * answered when their response or the session's next call arrives.
 */
export function createReplay({ newRun, findings, riskOf }: ReplayDeps): Replay {
  const open = createOpenCalls(finish);
  const counts: ReplayCounts = { calls: 0, responses: 0, afterDenial: 0 };
  let requests = 0;

  async function call(step: TracedStep, place: TracePlace): Promise<void> {
    counts.calls += 1;
    await presumeAnswered(step);
    findings.begin(step, place);
    const run = newRun();
    const { exchange, body } = gatewayCall(step, nextId(), await riskOf(step.agent.keyHash));
    const parsed = await judged(run, exchange, body);
    if (parsed === undefined) {
      await run.end(exchange, { kind: 'not_forwarded' });
      await open.add({ step, place, run, parsed: undefined, isAnswered: true });
      return;
    }
    const openCall: OpenCall = { step, place, run, parsed, isAnswered: false };
    if (step.result === undefined) await open.add(openCall);
    else await answer(openCall, step);
  }

  /** Returns the exchange, or undefined if the call is denied. */
  async function judged(run: Run, exchange: Identified, body: Buffer): Promise<Parsed | undefined> {
    try {
      run.prepare({ keyHash: exchange.key.keyHash });
      const early = (await run.admit(exchange)) ?? (await run.requestHeaders(exchange));
      if (early !== undefined) return undefined;
      const parsed = parseRequest(exchange, body);
      const denial = await run.requestBody(parsed);
      return denial === undefined ? withoutContent(parsed) : undefined;
    } catch (failure) {
      reportRefusal(failure);
      return undefined;
    }
  }

  async function answer(openCall: OpenCall, step: TracedStep): Promise<void> {
    const { run, parsed } = openCall;
    if (parsed === undefined) return;
    try {
      await run.response(await answerTo(parsed, step));
    } catch (failure) {
      reportRefusal(failure);
    }
    await run.end(parsed, { kind: 'complete' });
  }

  /** A further call implies that the last call of the session was answered. */
  async function presumeAnswered(next: TracedStep): Promise<void> {
    const openCall = open.ofSession(next).at(-1);
    if (openCall === undefined || openCall.isAnswered || openCall.parsed === undefined) return;
    openCall.isAnswered = true;
    findings.begin(openCall.step, openCall.place);
    await openCall.run.response(unseenAnswer(openCall.parsed));
  }

  async function finish(openCall: OpenCall): Promise<void> {
    const { run, parsed } = openCall;
    if (parsed === undefined) return;
    findings.begin(openCall.step, openCall.place);
    if (!openCall.isAnswered) await run.response(unseenAnswer(parsed));
    await run.end(parsed, { kind: 'complete' });
  }

  async function response(step: TracedStep, place: TracePlace): Promise<void> {
    counts.responses += 1;
    const openCall = open.take(step) ?? (await unexpectedAnswer(step, place));
    if (openCall === undefined) return;
    if (openCall.parsed === undefined) {
      counts.afterDenial += 1;
      return;
    }
    findings.begin(
      { ...step, tool: openCall.step.tool, server: openCall.step.server, model: openCall.step.model },
      place,
    );
    await answer(openCall, step);
  }

  /** Creates a call for a response whose call is not in the trace. */
  async function unexpectedAnswer(step: TracedStep, place: TracePlace): Promise<OpenCall | undefined> {
    findings.begin(step, place);
    const call: TracedStep =
      step.type === 'llm_response'
        ? { ...step, type: 'llm_call', content: '' }
        : { ...step, type: 'mcp_tool_call', tool: step.tool === '' ? 'unknown' : step.tool };
    const { exchange, body } = gatewayCall(call, nextId(), await riskOf(step.agent.keyHash));
    try {
      return { step: call, place, run: newRun(), parsed: parseRequest(exchange, body), isAnswered: true };
    } catch (failure) {
      reportRefusal(failure);
      return undefined;
    }
  }

  function reportRefusal(failure: unknown): void {
    if (!(failure instanceof GatewayError)) throw failure;
    findings.verdict('request', asDenial(failure));
  }

  function nextId(): string {
    requests += 1;
    return `trace-${String(requests)}`;
  }

  return {
    counts,
    async step(step, place) {
      await (isCall(step) ? call(step, place) : response(step, place));
      return findings.take();
    },
    async end() {
      await open.end();
      return findings.take();
    },
  };
}

/** Drops the request content, as the gateway does, because the answer may never arrive. */
function withoutContent(parsed: Parsed): Parsed {
  const { facts, request } = parsed;
  facts.prompt = undefined;
  facts.searched = undefined;
  facts.judged = undefined;
  return { ...parsed, body: NOTHING, json: {}, edits: [], request: { ...request, texts: [], media: [] } };
}
