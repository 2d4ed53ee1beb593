import type { Parsed } from '../../pipeline/exchange.ts';
import { PROVIDER_NAMES } from '../../providers/provider.ts';
import { printableName } from './refusals.ts';

/** What an amount was spent for. */
export interface SpentFor {
  readonly provider: string;
  /** Empty if the request named none. */
  readonly model: string;
}

/** Charges of leases that ran out, and of more models than a day records: see record-spend.lua. */
const UNNAMED: readonly string[] = ['expired', 'other', 'shared'];

/** Returns the label under which the spend of a request is recorded: `openai/gpt-4o`. */
export function spentFor({ provider, request }: Parsed): string {
  return `${provider.name}/${printableName(request.models[0] ?? '')}`;
}

/** Reads a label back. */
export function readSpentFor(label: string): SpentFor {
  const slash = label.indexOf('/');
  const provider = label.slice(0, slash);
  if (UNNAMED.includes(label) || !PROVIDER_NAMES.some((name) => name === provider))
    return { provider: label, model: label };
  return { provider, model: label.slice(slash + 1) };
}
