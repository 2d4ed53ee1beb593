import { describe } from 'vitest';
import { maxSteps, sessionBudget, maxPerKey, anchor } from './sessions/limits.ts';
import {
  unanswered,
  answerHeaders,
  notForwarded,
  sessionHeaders,
  plainAgent,
  totals,
  commands,
} from './sessions/answers.ts';
import { useRig } from './sessions/rig.ts';

useRig();

describe('docs/refusals.md max_steps_exceeded: the maximum steps of a session', maxSteps);
describe('docs/mcp.md: a session’s budget', sessionBudget);
describe('docs/serving.md#configuration session.max_per_key: concurrent sessions of a key', maxPerKey);
describe('docs/sessions.md: the first user request is the anchor', anchor);
describe('a session without an answered call', unanswered);
describe(
  'docs/sessions.md#headers-of-an-answer: X-Gateway-Session-Spend, X-Gateway-Session-Steps',
  answerHeaders,
);
describe('a call that was never forwarded returns its step', notForwarded);
describe('docs/sessions.md: values of session headers', sessionHeaders);
describe('an agent that knows only the address and the headers of the gateway', plainAgent);
describe('docs/risk.md: total_spend and session_count', totals);
describe('gateway sessions', commands);
