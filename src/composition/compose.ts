import type { Config } from '../config/schema.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { newOperationId } from '../operation-id.ts';
import type { Check } from '../pipeline/check.ts';
import { createMasksOf } from '../policy/masking/masks.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { DEFAULT_LOCK_MS } from '../risk/scoring.ts';
import type { FactUse } from '../checks/entry.ts';
import { GIVEN_FACTS, ORDER, type CheckName, type UnwrittenFact } from '../checks/order.ts';
import { createShown, type Shown } from '../checks/policy/shown-arguments.ts';
import { createEscalate, type EscalateDeps } from '../checks/policy/escalate.ts';
import { createJudge, type Taint } from '../checks/policy/judge.ts';
import { createReportSecretLeak } from '../checks/report-secret-leak.ts';
import type {
  CheckServices,
  ChecksObserver,
  Counting,
  OwnStore,
  PolicyServices,
  SharedStores,
  StoreForms,
  StorePlace,
} from '../checks/services.ts';
import type { SessionMove, SessionMoves } from '../checks/policy/state-check.ts';
import { createRetryQueue } from '../redis/retry-queue.ts';
import { REFUND_MS, type SessionStore } from '../checks/session/store.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import type { RiskStore } from '../risk/store.ts';

export interface ComposedParts {
  readonly config: Config;
  readonly stores: SharedStores;
  readonly place: StorePlace;
  /** Undefined without policies. */
  readonly policies: { current(): PolicySet } | undefined;
  readonly observer: ChecksObserver;
  readonly authenticateAgain: EscalateDeps['authenticateAgain'];
  /** Undefined without approvals; calls that need one are then denied. */
  readonly askApproval?: EscalateDeps['ask'] | undefined;
  readonly counting?: Counting;
}

export interface ComposedChecks {
  readonly inOrder: readonly Check<unknown, CheckName>[];
  /** Completes pending store writes. Must be called before the Redis connection closes. */
  close(): Promise<void>;
}

/** The checks of `order.ts`, in any order. */
export type CheckOrder = readonly (typeof ORDER)[number][];

/** Creates all checks for `config` with shared services. Throws if one reads a fact that no earlier one writes. */
export async function composeChecks(
  parts: ComposedParts,
  order: [UnwrittenFact] extends [never] ? CheckOrder : UnwrittenFact = ORDER,
): Promise<ComposedChecks> {
  const { config, stores, observer, counting, authenticateAgain } = parts;
  const closers: (() => Promise<void>)[] = [];
  function onClose(close: () => Promise<void>): void {
    closers.push(close);
  }
  const services: CheckServices = {
    stores,
    ownStore: ownStoreIn(parts.place),
    counting,
    observer,
    authenticateAgain,
    reportSecretLeak: createReportSecretLeak({
      record: stores.risk.record,
      addTaint: stores.sessions.addTaint,
    }),
    policies: parts.policies && (await policyServices(parts, parts.policies, onClose)),
    onClose,
  };
  const made = await Promise.all(
    order.map(async ({ make, facts }): Promise<MadeCheck | undefined> => {
      const check: Check<unknown, CheckName> | undefined = await make(config, services);
      return check && { check, facts };
    }),
  );
  const inOrder = made.filter((check) => check !== undefined);
  assertFactsAreWritten(inOrder);
  return {
    inOrder: inOrder.map(({ check }) => check),
    async close() {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

function ownStoreIn(place: StorePlace): OwnStore {
  return async <Store>({ redis, memory }: Pick<StoreForms<Store>, 'redis'> & Partial<StoreForms<Store>>) =>
    // OwnStore's overloads determine whether a memory form exists.
    (place.kind === 'redis' ? redis(place) : memory?.(place)) as Promise<Store>;
}

interface MadeCheck {
  readonly check: Check<unknown, CheckName>;
  readonly facts: FactUse;
}

/** Throws if a check precedes the writer of a fact that it reads, because the check would let everything pass. */
function assertFactsAreWritten(inOrder: readonly MadeCheck[]): void {
  const written = new Set<string>(GIVEN_FACTS);
  for (const { check, facts } of inOrder) {
    for (const fact of facts.writes ?? []) written.add(fact);
    const missing = [...(facts.reads ?? []), ...(facts.refreshes ?? [])].find((fact) => !written.has(fact));
    if (missing !== undefined) {
      throw new Error(
        `the check ${check.name} reads the fact "${missing}", which no earlier check writes: move the check that writes it further up in checks/order.ts`,
      );
    }
  }
}

async function policyServices(
  { config, stores: { sessions: store, risk }, observer, authenticateAgain, askApproval }: ComposedParts,
  policies: { current(): PolicySet },
  onClose: CheckServices['onClose'],
): Promise<PolicyServices> {
  const sessions = createSessionMoves({ store, onFailure: observer.moveNotUndone });
  onClose(() => sessions.close());
  return {
    current: policies.current,
    judge: createJudge({
      defaultAction: config.policy.default_action,
      shadowMode: config.server.shadow_mode,
      maskSecrets,
      escalate:
        askApproval &&
        createEscalate({
          ask: askApproval,
          authenticateAgain,
          maskSecrets,
          shown: config.zsp.escalation_arguments ? await shownBy(config.zsp) : undefined,
        }),
      async score({ keyHash, trigger, findings }) {
        const event = { keyHash, findings, operationId: newOperationId() };
        await risk.record(
          trigger === 'quarantine' ? { ...event, trigger, lockMs: DEFAULT_LOCK_MS } : { ...event, trigger },
        );
      },
      taint: createTaintSession({ record: risk.record, addTaint: store.addTaint }),
      onTrouble: observer.policyTrouble,
      onDecision: observer.policyDecided,
    }),
    sessions,
    mark: createMarkSession(store),
    masking: { masksOf: createMasksOf() },
  };
}

/** Prompts are shown only if arguments are. */
async function shownBy({ escalation_prompts: withPrompts }: Config['zsp']): Promise<Partial<Shown>> {
  const { arguments: shownArguments, prompt } = await createShown();
  return { arguments: shownArguments, ...(withPrompts && { prompt }) };
}

/** Moves session states. A failed attempt to undo a move is reported to `onFailure`, and retried for `REFUND_MS`. */
export function createSessionMoves({
  store,
  onFailure,
}: {
  readonly store: Pick<SessionStore, 'peek' | 'moveState' | 'moveBack'>;
  readonly onFailure: (cause: unknown) => void;
}): SessionMoves & { close(): Promise<void> } {
  const refunds = createRetryQueue<SessionMove>({
    attempt: ({ step, createdAt, from, to }) => store.moveBack(step, createdAt, { from, to }),
    onFailure,
    giveUpMs: REFUND_MS,
  });
  return {
    read: (name) => store.peek(name),
    async move({ step, createdAt, from, to }) {
      const { kind } = await store.moveState(step, createdAt, { from, to });
      return kind;
    },
    moveBack: (move) => refunds.give(move),
    close: () => refunds.close(),
  };
}

/**
 * Adds policy marks to the session of an exchange. Returns false if the session is full; policies that need the marks
 * must deny.
 */
export function createMarkSession({ addMark }: Pick<SessionStore, 'addMark'>) {
  return async ({ key, facts }: Parsed, marks: readonly string[]): Promise<boolean> => {
    const sessionId = facts.session?.id;
    if (sessionId === undefined) return true;
    const step = { keyHash: key.keyHash, sessionId, operationId: newOperationId() };
    const noted = await Promise.all(marks.map((mark) => addMark(step, mark)));
    return !noted.includes('full');
  };
}

/** Adds taints to the session, and scores new ones (docs/risk.md). Returns false if the session is full. */
function createTaintSession({
  record,
  addTaint,
}: Pick<RiskStore, 'record'> & Pick<SessionStore, 'addTaint'>) {
  return async ({ key, facts }: Parsed, flags: readonly Taint[]): Promise<boolean> => {
    const { keyHash } = key;
    const sessionId = facts.session?.id;
    for (const { flag, isUnscored } of flags) {
      if (sessionId !== undefined) {
        const noted = await addTaint({ keyHash, sessionId, operationId: newOperationId() }, flag);
        if (noted === 'full') return false;
      }
      if (isUnscored) continue;
      await record({ trigger: 'taint', keyHash, operationId: newOperationId(), flag, sessionId });
    }
    return true;
  };
}
