import { PROVIDER_NAMES, type ProviderName } from '../providers/registry.ts';
import { AGENT_NAMES, knownAgent, type KnownAgent } from './agents.ts';
import { basePath, speakersOf } from './bases.ts';

/** A mistake that the caller can correct. */
export class ExecUsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExecUsageError';
  }
}

export interface ChosenProvider {
  readonly provider: ProviderName;
  /** Undefined for a program that exec does not know. */
  readonly agent: KnownAgent | undefined;
}

/**
 * Returns the provider from `GATEWAY_PROVIDER`, or the one usual for the executable.
 * @throws ExecUsageError with the possible values
 */
export function chooseProvider(command: string, wanted: string | undefined): ChosenProvider {
  const agent = knownAgent(command);
  const named = wanted === undefined || wanted === '' ? agent?.provider : knownProvider(wanted);
  if (named === undefined) {
    throw new ExecUsageError(
      `set GATEWAY_PROVIDER for ${command}: one of ${PROVIDER_NAMES.join(', ')} ` +
        `(known without it: ${AGENT_NAMES.join(', ')})`,
    );
  }
  if (agent?.speaks !== undefined && basePath(agent.speaks, named) === undefined) {
    throw new ExecUsageError(
      `GATEWAY_PROVIDER: ${command} cannot speak to ${named}; one of ${speakersOf(agent.speaks).join(', ')}`,
    );
  }
  return { provider: named, agent };
}

function knownProvider(written: string): ProviderName {
  const known = PROVIDER_NAMES.find((name) => name === written);
  if (known === undefined) throw new ExecUsageError(`GATEWAY_PROVIDER: one of ${PROVIDER_NAMES.join(', ')}`);
  return known;
}
