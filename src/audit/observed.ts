import type { RefusalFinding } from '../where-found.ts';

/** What is recorded of an exchange; a narrow view, so that nothing else of it can be. */
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
}

/** One thing that was found, with the text that matched: digested here, and not kept. */
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
