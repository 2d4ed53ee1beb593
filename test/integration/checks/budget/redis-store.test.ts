import { describe } from 'vitest';
import { reserving, granting, settling, repeats, lowered } from './redis-store/reservations.ts';
import {
  leases,
  windows,
  lateLease,
  alertThresholds,
  limits,
  damaged,
  onCluster,
} from './redis-store/windows.ts';
import { clocks } from './redis-store/clocks.ts';
import { useRig } from './redis-store/rig.ts';

useRig();

describe('reserving', reserving);
describe('granting an output limit', granting);
describe('settling', settling);
describe('repeats of a script', repeats);
describe('leases', leases);
describe('windows', windows);
describe('windows and leases', clocks);
describe('a lease that is renewed late', lateLease);
describe('alert thresholds', alertThresholds);
describe('limits', limits);
describe('a damaged account, or one of an unknown version', damaged);
describe('on a cluster', onCluster);
describe('a client’s limit that may be lowered', lowered);
