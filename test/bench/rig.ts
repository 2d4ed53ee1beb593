import type { Target } from '../support/load.ts';

export type Part = 'envoy' | 'node' | 'redis' | 'go' | 'python';

export interface RigProcess {
  readonly part: Part;
  readonly pid: number;
  /** What it is, where its part has several. */
  readonly title?: string;
}

/** What is measured: a target and all the processes that serve it, whose CPU is counted. */
export interface Rig extends Target {
  readonly name: string;
  /** Part of the usual number of requests, for a rig that needs minutes for all of them; 1 by default. */
  readonly share?: number;
  /** Its requests are the turns of sessions. */
  readonly inSessions?: boolean;
  /** Of a gateway of ours: where its metrics are. */
  readonly adminPort?: number;
  readonly processes: readonly RigProcess[];
}

/** A rig that this machine cannot have, and why, in one sentence. */
export interface MissingRig {
  readonly name: string;
  readonly missing: string;
}

export const CHAT = '/v1/chat/completions';
