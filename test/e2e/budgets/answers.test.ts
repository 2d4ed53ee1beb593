import { describe } from 'vitest';
import { told, usageChunk, usages, storedAtProvider } from './answers/told.ts';
import { cachedTokens, sound, openRouterBill, xaiBill } from './answers/prices.ts';
import { absurdUsages, toldBilling } from './answers/billing.ts';
import { billedErrors } from './answers/errors.ts';
import { useRig } from './answers/rig.ts';

useRig();

describe('a client is told', told);
describe('the usage chunk of a stream', usageChunk);
describe('usage in', usages);
describe('cached tokens have their own price', cachedTokens);
describe('audio is charged at its own price', sound);
describe('the dearest billing that an answer reports is charged:', toldBilling);
describe('the reservation is charged for an absurd usage:', absurdUsages);
describe('OpenRouter’s bill', openRouterBill);
describe('xAI’s bill', xaiBill);
describe('an error that the provider bills', billedErrors);
describe('an object stored at a provider', storedAtProvider);
