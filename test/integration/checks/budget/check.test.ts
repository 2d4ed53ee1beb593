import { describe } from 'vitest';
import { charges } from './check/charges.ts';
import { outputLimits, absurdNumbers, refusals, input } from './check/requests.ts';
import { toldToClients, alerts, redisFailures, runningStream } from './check/clients.ts';
import { hostedTools, plausible, told } from './check/billing.ts';
import { dearestTarget } from './check/dearest-target.ts';
import { severalTargets } from './check/targets.ts';
import { shippedConstants } from './check/constants.ts';
import { useRig } from './check/rig.ts';

useRig();

describe('the table of charges', charges);
describe('output limits', outputLimits);
describe('absurd numbers from a client', absurdNumbers);
describe('refusals', refusals);
describe('input', input);
describe('in its answer a client gets', toldToClients);
describe('alerts', alerts);
describe('when Redis fails', redisFailures);
describe('a running stream', runningStream);
describe('a plausible usage', plausible);
describe('the billing that an answer reports', told);
describe('tools that the provider runs', hostedTools);
describe('several targets', severalTargets);
describe('the dearest of several targets', dearestTarget);
describe('shipped constants', shippedConstants);
