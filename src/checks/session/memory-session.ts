/** A session in memory. Its spend is stored elsewhere. */
export interface MemorySession {
  readonly createdAt: number;
  lastUsedAt: number;
  steps: number;
  mcpCalls: number;
  kept: boolean;
  answered: boolean;
  /** Lease end by operation, for running calls. */
  readonly calls: Map<string, number>;
  maxSteps: number | undefined;
  budgetNanoUsd: number | undefined;
  anchor: string | undefined;
  /** For each note, the operation that added it, in order of addition. */
  readonly taint: Map<string, string>;
  readonly tool: Map<string, string>;
  readonly mark: Map<string, string>;
  state: string | undefined;
  /** Operations that moved the state, oldest first. */
  readonly moves: string[];
}

export function newMemorySession(at: number): MemorySession {
  return {
    createdAt: at,
    lastUsedAt: at,
    steps: 0,
    mcpCalls: 0,
    kept: false,
    answered: false,
    calls: new Map(),
    maxSteps: undefined,
    budgetNanoUsd: undefined,
    anchor: undefined,
    taint: new Map(),
    tool: new Map(),
    mark: new Map(),
    state: undefined,
    moves: [],
  };
}
