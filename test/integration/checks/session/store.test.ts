import { describe } from 'vitest';
import { sessionsInRedis } from './store/contract.ts';
import { clocks, readAhead, twoGateways, sessionCounts, damaged } from './store/lives.ts';
import { bytesOfSessions, keys, manySessions, placesOfSessions } from './store/keys.ts';
import { useRig } from './store/rig.ts';

useRig();

describe('sessions in Redis', sessionsInRedis);
describe('a session that was read ahead', readAhead);
describe('with two gateways', twoGateways);
describe('the count of sessions in the risk profile', sessionCounts);
describe('keys', keys);
describe('100,000 sessions of one key', manySessions);
describe('the memory of a key’s sessions', bytesOfSessions);
describe('a damaged session', damaged);
describe('a clock', clocks);
describe('the rank of a session among those of its key', placesOfSessions);
