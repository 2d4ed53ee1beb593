import { composeChecks, type CheckOrder, type ComposedParts } from '../../src/composition/compose.ts';
import { createMemorySessionStore } from '../../src/checks/session/memory-store.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Check } from '../../src/pipeline/check.ts';
import { createCardSet } from '../../src/policy/cards/card-set.ts';
import { policySetOf } from '../../src/policy/policy-set.ts';
import { createMemoryRiskStore } from '../../src/risk/memory-store.ts';
import { riskSettings, type RiskStore } from '../../src/risk/store.ts';
import { defaultConfig } from './default-config.ts';

export interface ComposedOptions {
  readonly config?: ConfigInput;
  /** A card; absent if no policy is used. */
  readonly card?: string;
  readonly order?: CheckOrder;
  readonly askApproval?: ComposedParts['askApproval'];
}

export interface ComposedOnMemory {
  readonly checks: readonly Check[];
  readonly risk: RiskStore;
}

/** The checks as a gateway composes them, on stores of this process; without those that count time and money. */
export async function composedOnMemory(options: ComposedOptions = {}): Promise<ComposedOnMemory> {
  const config = defaultConfig(options.config);
  const now = (): number => 1e12;
  const { card } = options;
  const cards = card === undefined ? [] : [{ name: 'card.yaml', text: card, isPreset: false }];
  const set = policySetOf('sha256:0', createCardSet(cards), undefined);
  const risk = createMemoryRiskStore({ settings: riskSettings(config), now });
  const { inOrder } = await composeChecks(
    {
      config,
      stores: {
        sessions: createMemorySessionStore({ ttlMs: config.session.ttl, maxPerKey: 0, now }),
        risk,
      },
      place: { kind: 'memory', now },
      policies: card === undefined ? undefined : { current: () => set },
      observer: {
        dlpFound: () => undefined,
        audit: { emit: () => undefined, digest: () => '' },
        policyTrouble: rethrow,
        policyDecided: () => undefined,
        callNotEnded: rethrow,
        moveNotUndone: rethrow,
      },
      authenticateAgain: ({ key }) => Promise.resolve({ record: key, limits: {} }),
      askApproval: options.askApproval,
    },
    options.order,
  );
  return { checks: inOrder, risk };
}

export function rethrow(cause: unknown): never {
  throw cause;
}
