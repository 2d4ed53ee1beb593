import { maskSecrets } from '../../detectors/mask.ts';
import type { PolicyCall, SessionInput, TraceStep } from '../call.ts';
import { callSchema } from '../call-json.ts';
import { callOf, type WrittenCall } from '../call-from-json.ts';
import {
  passes,
  strongestOf,
  type DefaultAction,
  type Decision,
  type RuleHit,
  shownReason,
} from '../decision.ts';
import { withMarks } from '../explain-call.ts';
import { PolicyFilesError } from '../policy-files-error.ts';
import type { PolicySet } from '../policy-set.ts';
import { readYaml } from '../read-yaml.ts';
import { RegoEvaluationError } from '../rego/rego-error.ts';
import { textsOfServerMessage } from '../../mcp/server-texts.ts';
import { stepOfTexts, answerTo, callStep } from '../trace-step.ts';
import type { TrustSettings } from '../trust.ts';
import {
  cardTestSchema,
  type CardTest,
  type Expectation,
  type TestCall,
  type TestStep,
} from './card-test-schema.ts';
import type { TestResult } from './test-result.ts';

export interface CardTestFile {
  readonly name: string;
  readonly cases: readonly CardTest[];
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** @throws PolicyFilesError with all errors in the file */
export function readCardTests(name: string, text: string): CardTestFile {
  const read = readYaml(name, text, { schema: cardTestSchema, kind: 'a test' });
  if (!('value' in read)) throw new PolicyFilesError(read.join('\n'));
  return { name, cases: read.value, lineOf: read.lineOf };
}

export async function runCardTests(
  { name, cases, lineOf }: CardTestFile,
  policies: TestedPolicies,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const [index, test] of cases.entries()) {
    const place = { name: test.name, file: name, line: lineOf([index]) };
    const lineOfStep = (step: number): number => lineOf([index, 'steps', step]);
    results.push({ ...place, ...(await testOutcome(test, { ...policies, lineOfStep })) });
  }
  return results;
}

interface TestedPolicies {
  readonly set: PolicySet;
  readonly defaultAction: DefaultAction;
  readonly trust: TrustSettings;
}

interface Rig extends TestedPolicies {
  readonly lineOfStep: (step: number) => number;
}

type Outcome = Pick<TestResult, 'outcome' | 'detail'>;

async function testOutcome(test: CardTest, rig: Rig): Promise<Outcome> {
  try {
    const wrong =
      'steps' in test
        ? await walkSteps(test, rig)
        : (await judged(await callOfTest(test.call, rig.trust), test, rig)).wrong;
    return wrong.length === 0 ? { outcome: 'pass' } : { outcome: 'fail', detail: wrong.join('\n') };
  } catch (failure) {
    if (!(failure instanceof RegoEvaluationError)) throw failure;
    return { outcome: 'error', detail: `the policies could not judge the call: ${failure.message}` };
  }
}

/** Runs the steps in one session, as the gateway would. Stops at the first failing step. */
async function walkSteps(test: Extract<CardTest, { steps: unknown }>, rig: Rig): Promise<string[]> {
  let session: TestCall['session'] = test.session;
  let history: readonly TraceStep[] = [];
  for (const [index, step] of test.steps.entries()) {
    const written = await callOfTest(withDefaults(step.call, test, session), rig.trust);
    const { call, decision, state, wrong } = await judged({ ...written, history }, step, rig);
    if (wrong.length > 0) {
      return wrong.map(
        (what) => `step ${String(index + 1)} (line ${String(rig.lineOfStep(index))}): ${what}`,
      );
    }
    if (!passes(decision, rig.defaultAction)) continue;
    session = after(call, decision, state);
    history = [...history, ...(await tracesOf(call, step))];
  }
  return [];
}

/** The step's agent overrides the test's. The session continues from the previous step. */
function withDefaults(
  call: TestStep['call'],
  around: Pick<TestCall, 'agent' | 'agent_risk'>,
  session: TestCall['session'],
): TestCall {
  const { agent = around.agent, agent_risk = around.agent_risk } = call;
  return { ...call, agent, agent_risk, session };
}

async function judged(
  { call: bare, history }: WrittenCall,
  wanted: Expectation & { state?: string | undefined },
  { set, defaultAction }: Rig,
) {
  const call = await withMarks({ call: bare, history }, set);
  const decision = await set.decide(call);
  const before = call.input.session.state || set.initialState;
  const state = (passes(decision, defaultAction) ? await set.nextState(call) : undefined) ?? before;
  const wrong = differences(decision, wanted);
  if (wanted.state !== undefined && wanted.state !== state)
    wrong.push(`the state is ${state}, not ${wanted.state}`);
  return { call, decision, state, wrong };
}

function differences(decision: Decision, { expect, rules, reason, taints }: Expectation): string[] {
  const wrong: string[] = [];
  const { verdict, by } = strongestOf(decision);
  const deciding = by.map(ruleAndReason).join('; ');
  const fired = Object.values(decision).flat() as RuleHit[];
  const names = fired.map(({ rule }) => rule);
  if (verdict !== expect)
    wrong.push(`the verdict is ${verdict}, not ${expect}${deciding === '' ? '' : ` (${deciding})`}`);
  for (const rule of rules ?? []) {
    if (!names.includes(rule))
      wrong.push(`${rule} did not fire${names.length === 0 ? '' : `; these did: ${names.join(', ')}`}`);
  }
  if (reason !== undefined && !by.some((hit) => hit.reason.includes(reason))) {
    wrong.push(`no reason contains "${reason}"${deciding === '' ? '' : `: ${deciding}`}`);
  }
  const flags = decision.taint.map(({ flag }) => flag).toSorted();
  if (taints !== undefined && flags.join() !== taints.toSorted().join())
    wrong.push(`the taints are [${flags.join(', ')}]`);
  return wrong;
}

function ruleAndReason({ rule, reason }: RuleHit): string {
  return `${rule}: ${shownReason(reason, maskSecrets)}`;
}

function after(
  { input: { request, session } }: PolicyCall,
  { taint }: Decision,
  state: string,
): SessionInput {
  const tools = request.method === 'mcp_tool_call' ? [request.tool_name] : [];
  const flags = taint.map(({ flag }) => [flag, true as const]);
  return {
    ...session,
    state,
    steps: session.steps + 1,
    tools_called: [...new Set([...session.tools_called, ...tools])],
    taint_flags: { ...session.taint_flags, ...(Object.fromEntries(flags) as Record<string, true>) },
  };
}

async function tracesOf(call: PolicyCall, { answer }: TestStep): Promise<TraceStep[]> {
  const step = callStep(call);
  if (answer === undefined) return [step];
  return [step, await stepOfTexts(answerTo(call.input.request), await textsOfServerMessage(answer))];
}

function callOfTest(
  { agent, session, agent_risk, history, ...call }: TestCall,
  trust: TrustSettings,
): Promise<WrittenCall> {
  const around = { agent, session, agent_risk, history };
  if (call.type === 'llm_call') {
    const { type: method, prompt: prompt_text, ...request } = call;
    return callOf(callSchema.parse({ ...around, request: { method, ...request }, prompt_text }), trust);
  }
  const { type: method, server: mcp_server, ...request } = call;
  return callOf(callSchema.parse({ ...around, request: { method, mcp_server, ...request } }), trust);
}
