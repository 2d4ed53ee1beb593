import { createHmac, randomBytes } from 'node:crypto';
import type { Logger } from './logger.ts';

/** One security event (docs/audit.md). Never contains matched text. */
export interface AuditEvent {
  /** Name of the event from a closed set, such as `tool_response_inspected`. */
  readonly event: string;
  readonly requestId: string;
  readonly keyHash: string;
  /** The action taken. In shadow mode, the action that would have been taken. */
  readonly action: 'redacted' | 'blocked' | 'withheld' | 'flagged' | 'suppressed';
  /** False in shadow mode. */
  readonly enforced: boolean;
  readonly server?: string;
  readonly tool?: string | undefined;
  readonly findings: readonly AuditedFinding[];
  /** Number of findings that are not listed. */
  readonly moreFindings?: number;
  /** Rules with findings that are suppressed for this server. */
  readonly suppressedRules?: readonly string[];
}

export interface AuditedFinding {
  readonly rule: string;
  readonly class: string;
  /** Path within the message: member names and indexes, joined by dots. */
  readonly path: string;
  /** Range in the text at `path`, in UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** The same for equal matches; see `createMatchDigest`. */
  readonly digest: string;
}

/** Records security events. Never throws or blocks. */
export interface Audit {
  emit(event: AuditEvent): void;
  /** Identifies a match without revealing it. */
  readonly digest: MatchDigest;
}

export type MatchDigest = (match: string) => string;

/** Writes security events to the audit channel. Suppressed rules go to the debug log. */
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
 * Creates a digest function: HMAC-SHA256, truncated to 132 bits.
 * @param secret makes digests comparable across processes; if empty, they are comparable only within this process
 */
export function createMatchDigest(secret: string): MatchDigest {
  const key = secret === '' ? randomBytes(32) : secret;
  return (match) => createHmac('sha256', key).update(match).digest('base64url').slice(0, 22);
}
