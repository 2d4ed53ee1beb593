import { newOperationId } from '../operation-id.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { calledTool } from '../mcp/message.ts';
import { ruleOf } from './finding-id.ts';
import { plainName, plainRules, type LockCause } from '../risk/lock-cause.ts';
import { SECRET_TAINT } from '../risk/scoring.ts';
import type { RiskStore } from '../risk/store.ts';
import type { SessionStore } from './session/store.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** Secrets, or other data, that a provider or a tool sent towards a client, and that were kept from it. */
export interface SecretLeak {
  readonly exchange: Parsed;
  /** What was found, as `findingId(rule, matchedText)` of checks/finding-id names it: no text. */
  readonly findings: readonly string[];
  /** How long the key is locked: `quarantine_duration` of the check that found them; 0 where it only scores. */
  readonly lockMs: number;
  /** None of it is a secret (`dlp.action: quarantine`): nobody has `secret_accessed` from it. */
  readonly personalDataOnly?: true;
}

/**
 * Locks the key, scores it (+30, once for one and the same finding) and taints its session with `secret_accessed`
 * (docs/risk.md). Personal data locks and scores the same, and taints nothing.
 * @throws GatewayError redis_unavailable
 */
export type ReportSecretLeak = (leak: SecretLeak) => Promise<void>;

export interface SecretLeakDeps {
  /** With `risk_profile.enabled: false` it locks, and scores nothing. */
  readonly record: RiskStore['record'];
  readonly addTaint: SessionStore['addTaint'];
}

/** Locks and scores the key of a leak; a secret's taints the session that its exchange names, if it names one. */
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

/** A tool's name is the client's word, or the server's: it may hold what was found. */
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
