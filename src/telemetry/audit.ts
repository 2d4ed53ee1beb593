import { createHmac, randomBytes } from 'node:crypto';
import type { Logger } from './logger.ts';

/** One security event (docs/audit.md). Holds no text of what was found. */
export interface AuditEvent {
  /** What happened: a closed set, e.g. `tool_response_inspected`. */
  readonly event: string;
  readonly requestId: string;
  readonly keyHash: string;
  /** What was done about it, or would have been. */
  readonly action: 'redacted' | 'blocked' | 'withheld' | 'flagged' | 'suppressed';
  /** False in shadow mode. */
  readonly enforced: boolean;
  readonly server?: string;
  readonly tool?: string | undefined;
  readonly findings: readonly AuditedFinding[];
  /** Findings beyond those that are listed. */
  readonly moreFindings?: number;
  /** Rules that found something, and are switched off there. */
  readonly suppressedRules?: readonly string[];
}

export interface AuditedFinding {
  readonly rule: string;
  readonly class: string;
  /** Where in the message: member names and indexes, joined by full stops. */
  readonly path: string;
  /** UTF-16 units of the text at `path`, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Equal for equal matches; see `createMatchDigest`. */
  readonly digest: string;
}

/** Takes security events; never throws, and is not waited for. */
export interface Audit {
  emit(event: AuditEvent): void;
  /** Names a match without telling it. */
  readonly digest: MatchDigest;
}

export type MatchDigest = (match: string) => string;

/** Writes security events to the audit channel; those of rules that are suppressed are for who debugs. */
export function createAudit(
  auditLog: Pick<Logger, 'info'>,
  log: Pick<Logger, 'debug'>,
  digest: MatchDigest,
): Audit {
  return {
    digest,
    emit(event) {
      const write = event.action === 'suppressed' ? log.debug.bind(log) : auditLog.info.bind(auditLog);
      write(
        {
          audit: event.event,
          request_id: event.requestId,
          key_hash: event.keyHash,
          server: event.server,
          tool: event.tool,
          action: event.action,
          enforced: event.enforced,
          findings: event.findings,
          more_findings: event.moreFindings,
          suppressed_rules: event.suppressedRules,
        },
        'security audit event',
      );
    },
  };
}

/**
 * HMAC-SHA256, 128 bits of it.
 * @param secret equal matches have equal digests wherever it is the same; empty: within this process alone
 */
export function createMatchDigest(secret: string): MatchDigest {
  const key = secret === '' ? randomBytes(32) : secret;
  return (match) => createHmac('sha256', key).update(match).digest('base64url').slice(0, 22);
}
