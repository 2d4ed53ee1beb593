import type { Refusal } from '../errors.ts';
import { owaspIds } from '../owasp.ts';
import { STORED_FORMS, UnknownForm } from '../redis/stored-forms.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** The loggable parts of an exchange. The narrow type keeps everything else out of the log. */
export interface ObservedExchange {
  readonly requestId: string;
  readonly key: { readonly keyHash: string };
  /** Absent if the request was refused before routing. */
  readonly provider?: { readonly name: string };
  /** Set for calls to MCP servers. */
  readonly mcp?: object;
  readonly endpoint?: { readonly operation: string };
  /** The alias from `models` that the client used. */
  readonly alias?: string;
}

export interface ReportedVerdict {
  readonly kind: 'flag' | 'rewrite' | 'deny';
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly findings?: Refusal['findings'];
}

export interface ObservedFinish {
  readonly requestId: string;
  readonly exchange: ObservedExchange | undefined;
  readonly refusal: Refusal | undefined;
  readonly status: number;
  readonly outcome: { readonly kind: string };
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  readonly durationMs: number;
  /** Time to the first bytes of a streamed answer; undefined if no bytes were sent. */
  readonly firstChunkMs: number | undefined;
  /** False for a refusal that is only counted; see `AnonymousLines`. */
  readonly isLogged: boolean;
}

/** Returns the provider label of an exchange, or `mcp` for a call to an MCP server. */
export function providerLabel({ mcp, provider }: Pick<ObservedExchange, 'mcp' | 'provider'>): string {
  return mcp === undefined ? (provider?.name ?? 'none') : 'mcp';
}

const DONE = { flag: 'flagged', rewrite: 'rewritten', deny: 'denied' } as const;
const WOULD_HAVE = { flag: 'flagged', rewrite: 'would have rewritten', deny: 'would have denied' } as const;

/** Refusals that only an operator can resolve. Their causes are logged. */
const OPERATORS_CAUSES: ReadonlySet<string> = new Set(['redis_unavailable', 'stored_form_unknown']);
/** Minimum interval between error lines about the same unknown form, which causes many refusals. */
const UNKNOWN_FORM_LINE_EVERY_MS = 60_000;

/** Logs and counts finished requests (one line each) and verdicts other than pass, which go to the audit channel. */
export function createObserver(log: Logger, auditLog: Logger, metrics: Metrics) {
  // Series start at 0, so that the first event triggers the alert.
  for (const form of Object.keys(STORED_FORMS)) metrics.unknownForms.inc({ form }, 0);
  const loggedAt = new Map<string, number>();

  function noteUnknownForm(cause: unknown): void {
    if (!(cause instanceof UnknownForm)) return;
    const { form, version } = cause;
    metrics.unknownForms.inc({ form });
    const now = performance.now();
    if (now - (loggedAt.get(form) ?? -Infinity) < UNKNOWN_FORM_LINE_EVERY_MS) return;
    loggedAt.set(form, now);
    log.error(
      { form, version },
      'Redis contains data of a version that this gateway cannot read; requests that need it are refused: see docs/upgrading.md',
    );
  }

  return {
    finished(finish: ObservedFinish): void {
      const provider = finish.exchange === undefined ? 'none' : providerLabel(finish.exchange);
      const operation = finish.exchange?.endpoint?.operation ?? 'none';
      const type = finish.refusal?.type ?? '';
      const status = `${Math.floor(finish.status / 100)}xx`;
      metrics.requests.inc({ provider, operation, status, type });
      metrics.duration.observe({ provider, operation }, finish.durationMs / 1000);
      if (finish.firstChunkMs !== undefined) {
        metrics.firstToken.observe({ provider, operation }, finish.firstChunkMs / 1000);
      }
      if (finish.usage !== undefined) {
        metrics.tokens.inc({ provider, kind: 'input' }, finish.usage.inputTokens);
        metrics.tokens.inc({ provider, kind: 'output' }, finish.usage.outputTokens);
      }
      noteUnknownForm(finish.refusal?.cause);
      if (!finish.isLogged) return;
      const line = {
        request_id: finish.requestId,
        key_hash: finish.exchange?.key.keyHash ?? finish.refusal?.key?.keyHash,
        provider,
        operation,
        alias: finish.exchange?.alias,
        status: finish.status,
        type: type === '' ? undefined : type,
        outcome: finish.outcome.kind,
        duration_ms: Math.round(finish.durationMs * 10) / 10,
        cause: OPERATORS_CAUSES.has(type) ? refusalCause(finish.refusal) : undefined,
        note: finish.refusal?.note,
        findings: finish.refusal?.findings,
      };
      log.info(line, 'request');
    },
    failed(requestId: string, cause: unknown): void {
      metrics.failures.inc();
      log.error({ request_id: requestId, cause: describeCause(cause) }, 'request failed closed');
    },
    verdict(exchange: ObservedExchange, check: string, verdict: ReportedVerdict, enforced: boolean): void {
      metrics.verdicts.inc({
        check,
        verdict: verdict.kind,
        type: verdict.type ?? '',
        enforced: String(enforced),
      });
      auditLog.info(
        {
          request_id: exchange.requestId,
          key_hash: exchange.key.keyHash,
          check,
          type: verdict.type,
          reason: verdict.reason ?? verdict.message,
          findings: verdict.findings,
          owasp: owaspOf(check, verdict),
        },
        enforced ? DONE[verdict.kind] : WOULD_HAVE[verdict.kind],
      );
    },
    enforceFailed(exchange: ObservedExchange, check: string, cause: unknown): void {
      metrics.failures.inc();
      const line = {
        request_id: exchange.requestId,
        key_hash: exchange.key.keyHash,
        check,
        cause: describeCause(cause),
      };
      log.error(line, 'denied, but a follow-up action failed');
    },
    endFailed(exchange: ObservedExchange, check: string, cause: unknown): void {
      log.warn(
        { request_id: exchange.requestId, check, cause: describeCause(cause) },
        'a check could not finish its work',
      );
    },
  };
}

function owaspOf(check: string, { type, findings }: ReportedVerdict): readonly string[] | undefined {
  const ids = owaspIds({ classes: findings?.map((finding) => finding.class) ?? [], check, type });
  return ids.length === 0 ? undefined : ids;
}

function refusalCause(error: Refusal | undefined): string | undefined {
  return error?.cause === undefined ? undefined : describeCause(error.cause);
}

/** Returns an error's name, message and stack. Omits the message of a syntax error, because it quotes the input. */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return 'not an Error';
  const stack = cause.stack?.split('\n').slice(1, 12).join('\n') ?? '';
  return `${cause.name}: ${cause instanceof SyntaxError ? '…' : cause.message.slice(0, 500)}\n${stack}`;
}
