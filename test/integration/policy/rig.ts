import { createMarkSession, createSessionMoves } from '../../../src/composition/compose.ts';
import { createPolicyCheck } from '../../../src/checks/policy/check.ts';
import { createJudge } from '../../../src/checks/policy/judge.ts';
import { createPolicyStateCheck } from '../../../src/checks/policy/state-check.ts';
import { createSessionCheck } from '../../../src/checks/session/check.ts';
import type { SessionStore } from '../../../src/checks/session/store.ts';
import { PASS, type Check, type Denial } from '../../../src/pipeline/check.ts';
import type { Outcome, Parsed } from '../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import type { ObservedVerdict } from '../../../src/pipeline/enforcement.ts';
import type { PolicyCall } from '../../../src/policy/call.ts';
import { NO_DECISION } from '../../../src/policy/decision.ts';
import { NO_ROLE_TRUSTED } from '../../../src/policy/trust.ts';
import type { PolicySet } from '../../../src/policy/policy-set.ts';
import { mcpExchange, toolCall } from '../../support/mcp-exchange.ts';

/** States by the tool that leads there: `{INIT: {begin: 'OPEN'}}`. */
export type Transitions = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface MachineOptions {
  readonly transitions?: Transitions;
  /** The only state in which a tool may be called. */
  readonly needs?: Readonly<Record<string, string>>;
  /** The mark by which each call is remembered. */
  readonly marks?: readonly string[];
  readonly nextState?: PolicySet['nextState'];
}

/** A policy set that is a state machine over tool names. */
export function machine({ transitions = {}, needs = {}, marks, ...more }: MachineOptions): PolicySet {
  const stateOf = ({ input: { session } }: PolicyCall): string => session.state || 'INIT';
  const toolOf = ({ input: { request } }: PolicyCall): string =>
    request.method === 'mcp_tool_call' ? request.tool_name : '';
  return {
    digest: 'machine',
    canAllow: false,
    initialState: 'INIT',
    judgesPrompts: false,
    readsDrift: false,
    readsRisk: false,
    decide(call) {
      const needed = needs[toolOf(call)];
      if (needed === undefined || needed === stateOf(call)) return Promise.resolve(NO_DECISION);
      return Promise.resolve({ ...NO_DECISION, deny: [{ rule: 'order', reason: `only in ${needed}` }] });
    },
    nextState: more.nextState ?? ((call) => Promise.resolve(transitions[stateOf(call)]?.[toolOf(call)])),
    masksFor: () => [],
    needsSteps: (type) => marks !== undefined && type === 'mcp_tool_call',
    marksOf: () => Promise.resolve(marks ?? []),
    close: () => Promise.resolve(),
  };
}

export interface PolicyRigOptions {
  readonly store: SessionStore;
  readonly policies: () => PolicySet;
  readonly keyHash: string;
  readonly shadowMode?: boolean;
  /** Judges between the policies and the state, as the budget does. */
  readonly between?: () => Promise<Denial | undefined>;
}

/** A key's tool calls through the checks of session, policies and state; `trips` counts their session reads. */
export function policyRig({ store, policies, keyHash, shadowMode = false, between }: PolicyRigOptions) {
  const trips: string[] = [];
  const records: ObservedVerdict[] = [];
  const troubles: unknown[] = [];
  const counted: SessionStore = {
    ...store,
    peek: (name) => (trips.push('peek'), store.peek(name)),
    moveState: (...args) => (trips.push('moveState'), store.moveState(...args)),
    moveBack: (...args) => (trips.push('moveBack'), store.moveBack(...args)),
    addMark: (...args) => (trips.push('addMark'), store.addMark(...args)),
  };
  const onTrouble = (cause: unknown): void => void troubles.push(cause);
  const judge = createJudge({
    onDecision: () => undefined,
    defaultAction: undefined,
    score: () => Promise.resolve(),
    taint: () => Promise.resolve(true),
    shadowMode,
    maskSecrets: (text) => text,
    onTrouble,
  });
  const session = createSessionCheck({
    store,
    required: false,
    maskSecrets: (text) => text,
    onFailure: () => undefined,
  });
  const moves = createSessionMoves({ store: counted, onFailure: () => undefined });
  const other: Check = {
    name: 'budget',
    shadowable: false,
    requestBody: async () => (await between?.()) ?? PASS,
  };
  const checks = [
    session.check,
    createPolicyCheck({ policies, judge, trust: NO_ROLE_TRUSTED }),
    other,
    createPolicyStateCheck({
      judge,
      trust: NO_ROLE_TRUSTED,
      sessions: moves,
      mark: createMarkSession(counted),
      shadowMode,
      onTrouble,
    }),
  ];
  const newRun = createRunner({
    checks,
    shadowMode,
    observer: {
      verdict: (_exchange, _check, verdict) => void records.push(verdict),
      enforceFailed: (_exchange, _check, cause) => onTrouble(cause),
      endFailed: (_exchange, _check, cause) => onTrouble(cause),
    },
  });

  function exchangeOf(tool: string, sessionId: string | undefined): Parsed {
    const headers = sessionId === undefined ? {} : { 'x-gateway-session-id': sessionId };
    return mcpExchange({ body: toolCall(tool), headers, key: { keyHash } });
  }

  /** Runs a call up to the server; returns its denial, if any, or why it could not be judged. */
  async function begin(tool: string, sessionId: string | undefined) {
    const run = newRun();
    const exchange = exchangeOf(tool, sessionId);
    const end = (outcome: Outcome) => run.end(exchange, outcome);
    try {
      return { end, denial: (await run.requestHeaders(exchange)) ?? (await run.requestBody(exchange)) };
    } catch (failure) {
      return { end, denial: undefined, failure };
    }
  }

  /** Runs a whole call that the server accepts; returns the reason of a denial. */
  async function call(tool: string, sessionId = 'one'): Promise<string | undefined> {
    const { end, denial, failure } = await begin(tool, sessionId);
    if (failure !== undefined) throw failure;
    await end({ kind: denial === undefined ? 'complete' : 'not_forwarded' });
    return denial?.message;
  }

  const stored = (sessionId = 'one') => store.peek({ keyHash, sessionId });
  const close = () => Promise.all([session.close(), moves.close()]);
  return {
    begin: (tool: string) => begin(tool, 'one'),
    beginAlone: (tool: string) => begin(tool, undefined),
    call,
    trips,
    records,
    troubles,
    stored,
    close,
  };
}
