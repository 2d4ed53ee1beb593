import { describe } from 'vitest';
import { redisAway } from './fail-closed/redis.ts';
import { starts, sidecarAway } from './fail-closed/sidecar.ts';

describe('Redis', redisAway);
describe('A start', starts);
describe('The sidecar', sidecarAway);
