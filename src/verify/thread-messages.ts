import type { Config } from '../config/schema.ts';
import type { PolicyFiles } from '../policy/policy-files.ts';
import type { TraceFinding } from './finding.ts';
import type { AskedStep, Ended } from './judge.ts';

/** What a thread that judges is started with. */
export interface JudgeThreadData {
  readonly config: Config;
  readonly files: PolicyFiles | undefined;
}

/** Some steps, in order; or that no other comes. */
export type JudgeRequest = readonly AskedStep[] | 'end';

/** One for each request, in their order; the findings of each step that was asked for. */
export type JudgeReply = readonly (readonly TraceFinding[])[] | Ended;
