import { newOperationId } from '../operation-id.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { calledTool } from '../mcp/message.ts';
import { ruleOf } from './finding-id.ts';
import { plainName, plainRules, type LockCause } from '../risk/lock-cause.ts';
import { SECRET_TAINT } from '../risk/scoring.ts';
import type { RiskStore } from '../risk/store.ts';
import type { SessionStore } from './session/store.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** Secrets or other data from a provider or a tool that were withheld from the client. */
export interface SecretLeak {
  readonly exchange: Parsed;
  /** Findings named by `findingId(rule, matchedText)` of checks/finding-id, without text. */
  readonly findings: readonly string[];
  /** Duration of the key's lock: the check's `quarantine_duration`; 0 only scores. */
  readonly lockMs: number;
  /** None of it is a secret (`dlp.action: quarantine`), so it does not set `secret_accessed`. */
  readonly personalDataOnly?: true;
}

/**
 * Locks the key, scores it (+30, once per distinct finding) and taints its session with `secret_accessed`
 * (docs/risk.md). Personal data locks and scores the same, without a taint.
 * @throws GatewayError redis_unavailable
 */
export type ReportSecretLeak = (leak: SecretLeak) => Promise<void>;

export interface SecretLeakDeps {
  /** With `risk_profile.enabled: false` it only locks. */
  readonly record: RiskStore['record'];
  readonly addTaint: SessionStore['addTaint'];
}

/** Locks and scores the key of a leak; for a secret, also taints the exchange's session, if any. */
export function createReportSecretLeak({ record, addTaint }: SecretLeakDeps): ReportSecretLeak {
  return async (leak) => {
    const { exchange, findings, lockMs, personalDataOnly } = leak;
    const { keyHash } = exchange.key;
    const event = { keyHash, operationId: newOperationId(), findings, lockMs, cause: leakCause(leak) };
    if (personalDataOnly === true) {
      await record({ ...event, trigger: 'data_exfiltration' });
      return;
    }
    const sessionId = exchange.facts.session?.id;
    const scored = record({ ...event, trigger: 'secret_exfiltration', sessionId });
    const tainted =
      sessionId === undefined
        ? undefined
        : addTaint({ keyHash, sessionId, operationId: newOperationId() }, SECRET_TAINT);
    await Promise.all([scored, tainted]);
  };
}

function leakCause({ exchange, findings, personalDataOnly }: SecretLeak): LockCause {
  return {
    kind: personalDataOnly === true ? 'personal_data' : 'secret',
    rules: plainRules(findings.map(ruleOf)),
    place: leakPlace(exchange),
    request: plainName(exchange.requestId),
  };
}

/** Masks a tool's name, which client or server chose and which may contain what was found. */
function leakPlace({
  mcp,
  request,
}: SecretLeak['exchange']): Extract<LockCause, { place: unknown }>['place'] {
  if (mcp === undefined) return { in: 'completion' };
  const tool = calledTool(request.mcp);
  return {
    in: 'mcp',
    server: plainName(mcp.server),
    ...(tool !== undefined && { tool: plainName(maskSecrets(tool)) }),
  };
}
