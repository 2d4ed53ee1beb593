import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { ErrorAnswer, ProviderPricing } from '../../providers/descriptor.ts';

/** Providers explain a refusal in its first lines. */
const MAX_READ_BYTES = 16_384;

/** Reports whether the provider bills this error. An error whose body was not seen may be one that is billed. */
export function isBilledError({ provider, endpoint, status, answer }: Answered): boolean {
  const { billsError }: ProviderPricing = provider.pricing;
  const error: ErrorAnswer = {
    operation: endpoint.operation,
    status,
    text: answer.whole?.body.toString('utf8', 0, MAX_READ_BYTES),
  };
  return billsError?.(error) === true;
}

/** Returns the minimum in nano-USD that the provider bills for a request refused under its guidelines. */
export function refusalFeeNanoUsd({ provider, endpoint }: Pick<Parsed, 'provider' | 'endpoint'>): number {
  const { refusalFees = {} }: ProviderPricing = provider.pricing;
  return refusalFees[endpoint.operation] ?? 0;
}
