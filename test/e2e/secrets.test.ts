import { describe } from 'vitest';
import { keysSent } from './secrets/sent.ts';
import { keysNotFound } from './secrets/search.ts';
import { useRig } from './secrets/rig.ts';

useRig();

describe('keys sent along', keysSent);
describe('are not found', keysNotFound);
