import { describe } from 'vitest';
import { modelCalls, answers, toolCalls } from './approvals/calls.ts';
import { webhook, watch, shortWaits, redisAway } from './approvals/watchers.ts';
import { useRig } from './approvals/rig.ts';

useRig();

describe('a model call that needs an approval', modelCalls);
describe('an answer', answers);
describe('a tool call that needs an approval', toolCalls);
webhook();
watch();
describe('a gateway with few and short waits', shortWaits);
redisAway();
