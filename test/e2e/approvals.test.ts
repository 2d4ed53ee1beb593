import { describe } from 'vitest';
import { modelCalls, answers, toolCalls } from './approvals/calls.ts';
import { webhook, watch, shortWaits, redisAway } from './approvals/watchers.ts';
import { useRig } from './approvals/rig.ts';

useRig();

describe('a call of a model that needs an approval', modelCalls);
describe('an answer', answers);
describe('a call of a tool that needs an approval', toolCalls);
webhook();
watch();
describe('a gateway of few and short waits', shortWaits);
redisAway();
