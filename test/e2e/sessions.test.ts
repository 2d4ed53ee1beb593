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

describe('docs/refusals.md max_steps_exceeded: the maximum of steps of a session is reached', maxSteps);
describe('docs/mcp.md: a session’s budget', sessionBudget);
describe('docs/serving.md#configuration session.max_per_key: concurrent sessions of a key', maxPerKey);
describe('docs/sessions.md: the first user request is the anchor', anchor);
describe('a session in which no call was answered', unanswered);
describe(
  'docs/sessions.md#headers-of-an-answer: X-Gateway-Session-Spend, X-Gateway-Session-Steps',
  answerHeaders,
);
describe('a call that was never forwarded gives its step back', notForwarded);
describe('docs/sessions.md: what a session header may say', sessionHeaders);
describe('an agent that knows of the gateway by its address and headers only', plainAgent);
describe('docs/risk.md: total_spend and session_count', totals);
describe('gateway sessions', commands);
