import { describe } from 'vitest';
import { programs } from './exec/programs.ts';
import { processes, wrongCalls, overTls } from './exec/processes.ts';
import { useRig } from './exec/rig.ts';

useRig();

describe('a program run by gateway exec', programs);
describe('the process of the command', processes);
describe('an invalid call', wrongCalls);
describe('over TLS', overTls);
