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
describe('a limit of the client’s', clientLimits);
describe('where clients’ limits are not lowered and budgets not told', untouched);
describe('a granted limit', granted);
describe('the service tier at the list price', tiers);
describe('several answers are reserved for', severalAnswers);
describe('what cannot be bounded is refused with a budget, and passes without', unbounded);
describe('what has a price of its own is reserved at it:', ownPrices);
describe('hosts behind OpenRouter', openRouterHosts);
describe('an Azure deployment', azureDeployments);
describe('what is stored at a provider is refused', stored);
