import { randomUUID } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import { createContentDetector, createFindContentAll } from '../detectors/content.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { normalizeAll } from '../normalize/normalize.ts';
import type { Check } from '../pipeline/check.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { createMasksOf } from '../policy/masking/masks.ts';
import { createModelOf } from '../pricing/deployments.ts';
import type { Audit } from '../telemetry/audit.ts';
import { createAllowedCheck } from './allowed/check.ts';
import { createPolicyRewriter, maskAnswer, maskRequest } from './dlp/by-policy.ts';
import { createDlpCheck } from './dlp/check.ts';
import { MAX_FINDINGS } from './dlp/masked-places.ts';
import { createDriftCheck } from './drift/check.ts';
import { createMemoryDriftStore } from './drift/memory-store.ts';
import { createLoopCheck } from './loop/check.ts';
import { createMemoryLoopStore } from './loop/memory-store.ts';
import { createMcpCheck } from './mcp/check.ts';
import { createSessionBinding } from './mcp/session-binding/binding.ts';
import { createMemoryMcpSessionStore } from './mcp/session-binding/memory-store.ts';
import { createMcpInspectorCheck } from './mcp-inspector/check.ts';
import { createResultRewriter, maskWholeResult } from './mcp-inspector/mask-results.ts';
import { createMemoryPinStore } from './mcp-inspector/memory-store.ts';
import { createMcpToolsCheck } from './mcp-tools/check.ts';
import { createNormalizationCheck } from './normalization/check.ts';
import { createMarkSession } from './mark-session.ts';
import { inOrder } from './order.ts';
import { createAnswerMarksCheck } from './policy/answer-marks.ts';
import { createPolicyCheck } from './policy/check.ts';
import { createJudge } from './policy/judge.ts';
import { createPolicyStateCheck } from './policy/state-check.ts';
import { createPolicyMaskCheck } from './policy-mask/check.ts';
import { createProviderToolsCheck } from './provider-tools/check.ts';
import { createMemoryRiskStore } from './risk/memory-store.ts';
import { DEFAULT_LOCK_MS } from './risk/scoring.ts';
import { riskSettings } from './risk/settings.ts';
import type { RiskStore } from './risk/store.ts';
import { createReportSecretLeak } from './secret-leak.ts';
import { createSessionMoves } from './session-moves.ts';
import { createSessionCheck } from './session/check.ts';
import { createMemorySessionStore } from './session/memory-store.ts';
import type { SessionStore } from './session/store.ts';
import { createTaintSession } from './taint-session.ts';

export interface OfflineChecksDeps {
  readonly config: Config;
  /** Undefined where no policy is asked. */
  readonly policies: PolicySet | undefined;
  /** Told of what the inspector found. */
  readonly audit: Audit;
  /** A set could not judge a call. */
  readonly onPolicyTrouble: (cause: unknown) => void;
  /** Unix ms: the time of what is judged, not of the judging. */
  readonly now: () => number;
}

export interface OfflineChecks {
  readonly inOrder: readonly Check[];
  readonly risk: RiskStore;
  close(): Promise<void>;
}

/** The checks that a recorded call can be judged by, on stores of this process: what counts time and money is left out. */
export function createOfflineChecks(deps: OfflineChecksDeps): OfflineChecks {
  const { config, now } = deps;
  const { ttl: ttlMs, max_per_key: maxPerKey } = config.session;
  const sessions = createMemorySessionStore({ ttlMs, maxPerKey, now });
  const risk = createMemoryRiskStore({ settings: riskSettings(config), now });
  const reportSecretLeak = createReportSecretLeak({ record: risk.record, addTaint: sessions.addTaint });
  const session = createSessionCheck({
    store: sessions,
    required: config.session.required,
    maskSecrets,
    onFailure: rethrow,
  });
  const policy = policyChecks(deps, risk, sessions);
  const checks = inOrder({
    rateLimit: undefined,
    mcp: createMcpCheck({
      binding: createSessionBinding(createMemoryMcpSessionStore({ ttlMs, now })),
      async scorePolicyBlock(keyHash, findings) {
        await risk.record({ trigger: 'policy_block', keyHash, findings, operationId: randomUUID() });
      },
      authenticateAgain: () => Promise.resolve(),
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
      shadowMode: false,
      pins: createMemoryPinStore(now),
      audit: deps.audit,
      reportSecretLeak,
    }),
    mcpTools: createMcpToolsCheck(),
    dlp: createDlpCheck({
      ...dlpDetectors(config),
      config: config.server.dlp,
      reportSecretLeak,
      onFound: ignore,
    }),
    loop: createLoopCheck({ config: config.loop_detection, store: createMemoryLoopStore(now) }),
    drift: createDriftCheck({
      config: config.session.drift_detection,
      store: createMemoryDriftStore(),
      ...(deps.policies?.readsDrift === true && { isAskedFor: () => true }),
    }),
    policy: policy?.check,
    policyMask: policy?.maskCheck,
    mcpBreaker: undefined,
    budget: undefined,
    policyState: policy?.stateCheck,
    answerMarks: policy?.answerMarks,
  });
  return {
    inOrder: checks,
    risk,
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
  return { detector: createContentDetector(scope), findAll: createFindContentAll(scope, MAX_FINDINGS) };
}

function policyChecks(
  { policies, config, onPolicyTrouble: onTrouble }: OfflineChecksDeps,
  risk: RiskStore,
  store: SessionStore,
) {
  if (policies === undefined) return undefined;
  const judge = createJudge({
    defaultAction: config.policy.default_action,
    shadowMode: false,
    maskSecrets,
    async score({ keyHash, trigger, findings }) {
      const event = { keyHash, findings, operationId: randomUUID() };
      await risk.record(
        trigger === 'quarantine' ? { ...event, trigger, lockMs: DEFAULT_LOCK_MS } : { ...event, trigger },
      );
    },
    taint: createTaintSession({ record: risk.record, addTaint: store.addTaint }),
    onTrouble,
    onDecision: ignore,
  });
  const sessions = createSessionMoves({ store, onFailure: rethrow });
  const mark = createMarkSession(store);
  return {
    check: createPolicyCheck({ policies: () => policies, judge }),
    stateCheck: createPolicyStateCheck({ judge, sessions, mark, shadowMode: false, onTrouble }),
    maskCheck: createPolicyMaskCheck({
      masksOf: createMasksOf(),
      maskRequest,
      answers: { whole: maskAnswer, rewriter: (masks) => createPolicyRewriter(masks) },
      results: { whole: maskWholeResult, rewriter: createResultRewriter },
    }),
    answerMarks: createAnswerMarksCheck({ mark, onTrouble }),
    close: () => sessions.close(),
  };
}

/** Stores of this process do not fail. */
function rethrow(cause: unknown): never {
  throw cause;
}

function ignore(): void {
  // The verdicts tell.
}
