import { newOperationId } from '../operation-id.ts';
import type { Config } from '../config/schema.ts';
import { contentDetectorsOf, createContentDetector, createFindContentAll } from '../detectors/content.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { normalizeAll } from '../normalize/normalize.ts';
import type { Check } from '../pipeline/check.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { createMasksOf, type Masks } from '../policy/masking/masks.ts';
import { createModelOf } from '../pricing/deployments.ts';
import type { Audit } from '../telemetry/audit.ts';
import { createAllowedCheck } from './key-access/check.ts';
import { createPolicyRewriter, maskAnswer, maskRequest } from './dlp/by-policy.ts';
import { createDlpCheck } from './dlp/check.ts';
import type { DlpCheckDeps } from './dlp/deps.ts';
import { MAX_FINDINGS } from './dlp/masked-places.ts';
import { createDriftCheck } from './drift/check.ts';
import type { DriftStore } from './drift/store.ts';
import { createLoopCheck } from './loop/check.ts';
import type { LoopStore } from './loop/store.ts';
import { createMarkSession } from './mark-session.ts';
import { createMcpCheck } from './mcp/check.ts';
import { createSessionBinding } from './mcp/session-binding/binding.ts';
import type { McpSessionStore } from './mcp/session-binding/store.ts';
import { createMcpInspectorCheck } from './mcp-inspector/check.ts';
import { createResultRewriter, maskWholeResult } from './mcp-inspector/mask-results.ts';
import type { PinStore } from './mcp-inspector/pins.ts';
import { createMcpToolsCheck } from './mcp-tools/check.ts';
import { createNormalizationCheck } from './normalization/check.ts';
import { inOrder, type Checks } from './order.ts';
import { createAnswerMarksCheck } from './policy/answer-marks.ts';
import { createEscalate, type EscalateDeps } from './policy/escalate.ts';
import { createPolicyCheck } from './policy/check.ts';
import { createJudge, type JudgeDeps } from './policy/judge.ts';
import { createPolicyStateCheck } from './policy/state-check.ts';
import { createPolicyMaskCheck } from './policy-mask/check.ts';
import { createProviderToolsCheck } from './hosted-tools/check.ts';
import { DEFAULT_LOCK_MS } from '../risk/scoring.ts';
import type { RiskStore } from '../risk/store.ts';
import { createReportSecretLeak } from './report-secret-leak.ts';
import { createSessionMoves } from './session-moves.ts';
import { createSessionCheck } from './session/check.ts';
import { CALL_LEASE_MS, type SessionStore } from './session/store.ts';
import { createTaintSession } from './taint-session.ts';

/** Where the checks keep what they know of earlier calls: Redis, or this process. */
export interface CheckStores {
  readonly sessions: SessionStore;
  readonly risk: RiskStore;
  readonly mcpSessions: McpSessionStore;
  readonly pins: PinStore;
  readonly loops: LoopStore;
  readonly drift: DriftStore;
}

/** What the checks tell while they judge. */
export interface ChecksObserver {
  readonly dlpFound: DlpCheckDeps['onFound'];
  readonly dlpEvidence?: DlpCheckDeps['onEvidence'];
  /** What the inspector found. */
  readonly audit: Audit;
  /** A set could not judge a call. */
  readonly policyTrouble: (cause: unknown) => void;
  readonly policyDecided: JudgeDeps['onDecision'];
  /** The store did not hear of the end of a call. */
  readonly callNotEnded: (cause: unknown) => void;
  /** The store did not hear that a call, which had moved its session, was not made. */
  readonly moveNotUndone: (cause: unknown) => void;
}

export interface ComposedOf {
  readonly config: Config;
  readonly stores: CheckStores;
  /** Undefined where no policy is asked. */
  readonly policies: { current(): PolicySet } | undefined;
  readonly observer: ChecksObserver;
  readonly authenticateAgain: EscalateDeps['authenticateAgain'];
  /** Undefined where nobody is asked: what is to be escalated is denied. */
  readonly askApproval?: EscalateDeps['ask'] | undefined;
  /** Those that count time and money. */
  readonly counting: Pick<Checks, 'rateLimit' | 'mcpBreaker' | 'budget'>;
}

/** The checks of a gateway. */
export interface ComposedChecks {
  readonly inOrder: readonly Check[];
  /** Makes good what is still owed to the stores. */
  close(): Promise<void>;
}

/** Builds every check as `config` has them, and what one does to what another keeps. */
export function composeChecks(of: ComposedOf): ComposedChecks {
  const { config, stores, policies, observer, counting } = of;
  const { record } = stores.risk;
  const reportSecretLeak = createReportSecretLeak({ record, addTaint: stores.sessions.addTaint });
  const session = createSessionCheck({
    store: stores.sessions,
    required: config.session.required,
    maskSecrets,
    onFailure: observer.callNotEnded,
    renewAfterMs: Math.min(CALL_LEASE_MS, config.session.ttl) / 3,
  });
  const policy = policies && policyChecks(of, policies);
  return {
    inOrder: inOrder({
      ...counting,
      ...policy?.checks,
      mcp: createMcpCheck({
        binding: createSessionBinding(stores.mcpSessions),
        async scorePolicyBlock(keyHash, findings) {
          await record({ trigger: 'policy_block', keyHash, findings, operationId: newOperationId() });
        },
        authenticateAgain: of.authenticateAgain,
      }),
      allowed: createAllowedCheck({ modelOf: createModelOf(config.providers.azure.deployments) }),
      providerTools: createProviderToolsCheck({
        allowed: config.proxy.provider_tools,
        action: config.proxy.provider_tools_action,
        storedPrompts: config.proxy.stored_prompts,
      }),
      session: session.check,
      normalization: createNormalizationCheck({ normalizeAll }),
      mcpInspector: createMcpInspectorCheck({
        config: config.mcp,
        shadowMode: config.server.shadow_mode,
        pins: stores.pins,
        audit: observer.audit,
        reportSecretLeak,
      }),
      mcpTools: createMcpToolsCheck(),
      dlp: createDlpCheck({
        ...dlpDetectors(config),
        config: config.server.dlp,
        reportSecretLeak,
        onFound: observer.dlpFound,
        ...(observer.dlpEvidence && { onEvidence: observer.dlpEvidence }),
      }),
      loop: createLoopCheck({
        config: config.loop_detection,
        store: stores.loops,
        shadowMode: config.server.shadow_mode,
      }),
      drift: createDriftCheck({
        config: config.session.drift_detection,
        store: stores.drift,
        ...(policies !== undefined && { isAskedFor: () => policies.current().readsDrift }),
      }),
    }),
    async close() {
      await Promise.all([session.close(), policy?.close()]);
    },
  };
}

function dlpDetectors({ server: { dlp } }: Config) {
  const scope = {
    scanSecrets: dlp.scan_secrets,
    scanPii: dlp.scan_pii,
    scanNetwork: dlp.scan_network,
    allowedHosts: dlp.allowed_hosts,
  };
  return {
    detector: createContentDetector(scope),
    findAll: createFindContentAll(scope, MAX_FINDINGS),
    requestDetectors: contentDetectorsOf(scope),
  };
}

function policyChecks(
  { config, stores: { sessions: store, risk }, observer, authenticateAgain, askApproval }: ComposedOf,
  policies: { current(): PolicySet },
) {
  const { shadow_mode: shadowMode } = config.server;
  const { policyTrouble: onTrouble } = observer;
  const judge = createJudge({
    defaultAction: config.policy.default_action,
    shadowMode,
    maskSecrets,
    escalate: askApproval && createEscalate({ ask: askApproval, authenticateAgain, maskSecrets }),
    async score({ keyHash, trigger, findings }) {
      const event = { keyHash, findings, operationId: newOperationId() };
      await risk.record(
        trigger === 'quarantine' ? { ...event, trigger, lockMs: DEFAULT_LOCK_MS } : { ...event, trigger },
      );
    },
    taint: createTaintSession({ record: risk.record, addTaint: store.addTaint }),
    onTrouble,
    onDecision: observer.policyDecided,
  });
  const sessions = createSessionMoves({ store, onFailure: observer.moveNotUndone });
  const mark = createMarkSession(store);
  const masks = {
    masksOf: createMasksOf(),
    maskRequest,
    answers: { whole: maskAnswer, rewriter: (of: Masks) => createPolicyRewriter(of) },
    results: { whole: maskWholeResult, rewriter: createResultRewriter },
  };
  return {
    checks: {
      policy: createPolicyCheck({ policies: policies.current, judge }),
      policyMask: createPolicyMaskCheck({ ...masks, judgement: 'first' }),
      policyState: createPolicyStateCheck({ judge, sessions, mark, shadowMode, onTrouble }),
      policyMaskAgain: createPolicyMaskCheck({ ...masks, judgement: 'again' }),
      answerMarks: createAnswerMarksCheck({ mark, onTrouble }),
    },
    close: () => sessions.close(),
  };
}
