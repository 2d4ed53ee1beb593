import type { Config } from '../config/schema.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { newOperationId } from '../operation-id.ts';
import type { Check } from '../pipeline/check.ts';
import { createMasksOf, type Masks } from '../policy/masking/masks.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { DEFAULT_LOCK_MS } from '../risk/scoring.ts';
import { createPolicyRewriter, maskAnswer, maskRequest } from './dlp/by-policy.ts';
import { createMarkSession, createSessionMoves, createTaintSession } from './policy-sessions.ts';
import { createResultRewriter, maskWholeResult } from './mcp-inspector/by-policy.ts';
import { ORDER, type CheckName } from './order.ts';
import { createEscalate, type EscalateDeps } from './policy/escalate.ts';
import { createJudge } from './policy/judge.ts';
import { createReportSecretLeak } from './report-secret-leak.ts';
import type { CheckServices, CheckStores, ChecksObserver, Counting, PolicyServices } from './services.ts';

export interface ComposedOf {
  readonly config: Config;
  readonly stores: CheckStores;
  /** Undefined where no policy is asked. */
  readonly policies: { current(): PolicySet } | undefined;
  readonly observer: ChecksObserver;
  readonly authenticateAgain: EscalateDeps['authenticateAgain'];
  /** Undefined where nobody is asked: what is to be escalated is denied. */
  readonly askApproval?: EscalateDeps['ask'] | undefined;
  /** Undefined where recorded calls are judged. */
  readonly counting?: Counting;
}

/** The checks of a gateway. */
export interface ComposedChecks {
  readonly inOrder: readonly Check<unknown, CheckName>[];
  /** Makes good what is still owed to the stores. */
  close(): Promise<void>;
}

/** Builds every check as `config` has them, and what one does to what another keeps. */
export async function composeChecks(of: ComposedOf): Promise<ComposedChecks> {
  const { config, stores, observer, counting, authenticateAgain } = of;
  const closers: (() => Promise<void>)[] = [];
  function onClose(close: () => Promise<void>): void {
    closers.push(close);
  }
  const services: CheckServices = {
    stores,
    counting,
    observer,
    authenticateAgain,
    reportSecretLeak: createReportSecretLeak({
      record: stores.risk.record,
      addTaint: stores.sessions.addTaint,
    }),
    policies: of.policies && policyServices(of, of.policies, onClose),
    onClose,
  };
  const checks = await Promise.all(
    ORDER.map((entry): Promise<Check<unknown, CheckName> | undefined> => entry.make(config, services)),
  );
  return {
    inOrder: checks.filter((check) => check !== undefined),
    async close() {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

function policyServices(
  { config, stores: { sessions: store, risk }, observer, authenticateAgain, askApproval }: ComposedOf,
  policies: { current(): PolicySet },
  onClose: CheckServices['onClose'],
): PolicyServices {
  const sessions = createSessionMoves({ store, onFailure: observer.moveNotUndone });
  onClose(() => sessions.close());
  return {
    current: policies.current,
    judge: createJudge({
      defaultAction: config.policy.default_action,
      shadowMode: config.server.shadow_mode,
      maskSecrets,
      escalate: askApproval && createEscalate({ ask: askApproval, authenticateAgain, maskSecrets }),
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
    masking: {
      masksOf: createMasksOf(),
      maskRequest,
      answers: { whole: maskAnswer, rewriter: (masks: Masks) => createPolicyRewriter(masks) },
      results: { whole: maskWholeResult, rewriter: createResultRewriter },
    },
  };
}
