import { describe } from 'vitest';
import { outputByDialect, lowered } from './limits/dialects.ts';
import { clientLimits, untouched, granted, severalAnswers } from './limits/granted.ts';
import { unbounded, ownPrices } from './limits/priced.ts';
import { openRouterHosts, azureDeployments, stored } from './limits/hosts.ts';
import { tiers } from './limits/tiers.ts';
import { useRig } from './limits/rig.ts';

useRig();

outputByDialect();
lowered();
describe('a limit set by the client', clientLimits);
describe('if limits are not lowered and budgets not shown', untouched);
describe('a granted limit', granted);
describe('the service tier at the list price', tiers);
describe('several answers are reserved for', severalAnswers);
describe('a request without a bound is refused with a budget, and passes without', unbounded);
describe('parts with their own price are reserved at it:', ownPrices);
describe('hosts behind OpenRouter', openRouterHosts);
describe('an Azure deployment', azureDeployments);
describe('objects stored at a provider are refused', stored);
