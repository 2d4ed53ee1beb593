import type { RefusalFinding } from '../where-found.ts';

/** The recorded part of an exchange; a narrow view, so that nothing else can leak into a record. */
export interface AuditedExchange {
  readonly requestId: string;
  readonly method: string;
  readonly clientAddress: string;
  readonly key: {
    readonly keyHash: string;
    readonly name: string;
    readonly agentName?: string;
    readonly owner?: string;
  };
  /** The same object at every stage of an exchange. */
  readonly facts: { readonly session: { readonly id: string } | null | undefined };
  readonly provider?: { readonly name: string };
  readonly endpoint?: { readonly operation: string };
  readonly mcp?: { readonly server: string };
  /** Name of `models` that the client used. */
  readonly alias?: string;
  readonly request?: {
    readonly model: string | undefined;
    readonly mcp?: { readonly kind: string; readonly method?: string; readonly name?: string };
  };
}

export interface AuditedFinish {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly exchange: AuditedExchange | undefined;
  readonly refusal:
    | {
        readonly type: string;
        readonly message: string;
        readonly findings?: readonly RefusalFinding[] | undefined;
        readonly key?: { readonly keyHash: string; readonly name: string } | undefined;
      }
    | undefined;
  readonly status: number;
  readonly outcome: { readonly kind: string };
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  readonly durationMs: number;
  readonly isLogged: boolean;
  readonly traceId?: string | undefined;
}

/** A finding and the text that matched. The text is digested, never stored. */
export interface MatchedText {
  readonly finding: {
    readonly rule: string;
    readonly class: string;
    readonly start: number;
    readonly end: number;
  };
  readonly text: string;
  readonly where?: Pick<RefusalFinding, 'place' | 'role' | 'kind'>;
}

export interface PolicyRecord {
  readonly policySet: string;
  readonly verdict: string;
  readonly rules: readonly object[];
}
