import { describe } from 'vitest';
import {
  goodKeys,
  askedBeside,
  failureLimit,
  noKeys,
  letInBefore,
  onRecord,
  rotated,
} from './authenticate/keys.ts';
import { damaged, locks } from './authenticate/locks.ts';
import { riskScore, redisTrouble } from './authenticate/risk.ts';
import { useRig } from './authenticate/rig.ts';

useRig();

describe('a valid key', goodKeys);
describe('the reads beside a key', askedBeside);
describe('an address that is over its limit of failures', failureLimit);
describe('an invalid key', noKeys);
describe('a cached key', letInBefore);
describe('recorded keys', onRecord);
describe('a rotated key', rotated);
damaged();
describe('a lock', locks);
describe('the risk score', riskScore);
describe('Redis failures', redisTrouble);
