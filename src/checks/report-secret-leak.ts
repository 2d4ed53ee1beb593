import { newOperationId } from '../operation-id.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { calledTool } from '../mcp/message.ts';
import { ruleOf } from './finding-id.ts';
import { plainName, plainRules, type LockCause } from '../risk/lock-cause.ts';
import { SECRET_TAINT } from '../risk/scoring.ts';
import type { RiskStore } from '../risk/store.ts';
import type { SessionStore } from './session/store.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** Secrets or personal data from a provider or tool, masked or withheld. */
export interface SecretLeak {
  readonly exchange: Parsed;
  /** Finding ids (finding-id.ts), without text. */
  readonly findings: readonly string[];
  /** Duration of the lock on the key (`quarantine_duration`); 0 only scores. */
  readonly lockMs: number;
  /** Set if no finding is a secret (`dlp.action: quarantine`). The session is then not tainted. */
  readonly personalDataOnly?: true;
}

/**
 * Locks the key, adds 30 points to its score if a finding has not scored in the last 24 hours, and taints its session
 * with `secret_accessed` (docs/risk.md). Personal data does not taint.
 * @throws GatewayError redis_unavailable
 */
export type ReportSecretLeak = (leak: SecretLeak) => Promise<void>;

export interface SecretLeakDeps {
  /** With `risk_profile.enabled: false`, locks without scoring. */
  readonly record: RiskStore['record'];
  readonly addTaint: SessionStore['addTaint'];
}

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

/** Masks the tool name, which the client or server chose and which may contain the secret. */
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
