import { describe } from 'vitest';
import {
  failedByOneKey,
  badArguments,
  failedBySeveralKeys,
  opensCircuits,
  opensNone,
} from './breaker/opening.ts';
import { afterTheWindow, withoutRedis } from './breaker/closing.ts';
import { useRig } from './breaker/rig.ts';

useRig();

describe('a server that fails a key five times', failedByOneKey);
describe('bad arguments of one key', badArguments);
describe('a server that fails several keys', failedBySeveralKeys);
describe('events that open a circuit', opensCircuits);
describe('events that open none', opensNone);
describe('after the window', afterTheWindow);
describe('without Redis', withoutRedis);
