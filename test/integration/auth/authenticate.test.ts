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

describe('a good key', goodKeys);
describe('what is asked beside a key', askedBeside);
describe('an address that is over its limit of failures', failureLimit);
describe('a key that is none', noKeys);
describe('a key that was let in before', letInBefore);
describe('keys on record', onRecord);
describe('a rotated key', rotated);
damaged();
describe('a lock', locks);
describe('the risk score', riskScore);
describe('trouble with Redis', redisTrouble);
