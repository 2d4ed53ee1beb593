import { FEATURES } from './features.ts';
import { INCIDENTS } from './incidents.ts';
import type { CodingSession } from './task.ts';

export const CODING_SESSIONS: readonly CodingSession[] = [FEATURES, INCIDENTS];

/** Every text that these sessions read or write, by name. */
export const TASK_TEXTS: readonly (readonly [name: string, text: string])[] = CODING_SESSIONS.flatMap(
  ({ files, tasks }) => [
    ...Object.entries(files),
    ...tasks
      .flatMap(({ steps }) => steps)
      .flatMap((step) => ('write' in step ? [[`${step.write}, written`, step.text] as const] : [])),
  ],
);
