import type { Target } from '../support/load.ts';

export type Part = 'envoy' | 'node' | 'redis' | 'go' | 'python';

export interface RigProcess {
  readonly part: Part;
  readonly pid: number;
  /** Name of the process, if its part has several. */
  readonly title?: string;
}

/** A measured target, and all processes that serve it, whose CPU is counted. */
export interface Rig extends Target {
  readonly name: string;
  /** Fraction of the usual number of requests, for a rig that needs minutes for all of them; 1 by default. */
  readonly share?: number;
  /** Its requests are the turns of sessions. */
  readonly inSessions?: boolean;
  /** For our gateway: the address of its metrics. */
  readonly adminPort?: number;
  readonly processes: readonly RigProcess[];
}

/** A rig that is not available on this machine, with the reason in one sentence. */
export interface MissingRig {
  readonly name: string;
  readonly missing: string;
}

export const CHAT = '/v1/chat/completions';
