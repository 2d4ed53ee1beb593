import type { KeyStateStore } from '../auth/key-state-store.ts';
import type { KeyStore } from '../auth/key-store.ts';
import type { KeyUseStore } from '../auth/key-use-store.ts';
import type { StreamStore } from '../audit/stream-store.ts';
import type { PinStore } from '../checks/mcp-inspector/store.ts';
import type { BudgetStore } from '../checks/budget/store.ts';
import type { SessionStore } from '../checks/session/store.ts';
import type { Config } from '../config/schema.ts';
import type { EscalationStore } from '../escalation/redis-store.ts';
import type { RiskStore } from '../risk/store.ts';
import type { SharedBudgetStore } from '../shared-budgets/store.ts';
import type { SpendStore } from '../spend/store.ts';
import type { WatchEscalations } from './answer-escalation.ts';
import type { Changes } from './changes.ts';

/** Operator reads and changes, on Redis (`operate.ts`) or through the operator API (`remote/operations.ts`). */
export interface Operations {
  readonly keys: Pick<KeyStore, 'count' | 'find' | 'list' | 'names'>;
  readonly keyStates: Pick<KeyStateStore, 'readKeyState'>;
  readonly keyUses: KeyUseStore;
  readonly budgets: Pick<BudgetStore, 'getLimits' | 'status'>;
  readonly sharedBudgets: Pick<SharedBudgetStore, 'list'>;
  readonly spend: SpendStore;
  readonly sessions: Pick<SessionStore, 'list' | 'read'>;
  readonly risks: Pick<RiskStore, 'read'>;
  readonly pins: Pick<PinStore, 'list'>;
  readonly escalations: Pick<EscalationStore, 'list' | 'now'>;
  readonly audit: Pick<StreamStore, 'after' | 'before'>;
  /** Returns the Redis time in Unix ms. All expiries use this clock. */
  readClock(): Promise<number>;
  readSettings(): Promise<OperatorSettings>;
  readonly watchEscalations: WatchEscalations;
  readonly changes: Changes;
}

export interface OperatorSettings {
  readonly auditEnabled: boolean;
  readonly spendEnabled: boolean;
  readonly mcpServers: readonly string[];
  /** Provider by credential name. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly sharedBudgets: Config['budgets'];
}
