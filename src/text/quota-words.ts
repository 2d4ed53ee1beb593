import { timeSpan, wholeSeconds } from './time-span.ts';

/**
 * What stands after a refusal that a repeat cannot cure soon. Qwen Code and Gemini CLI obey neither `x-should-retry` nor
 * the body's type: they read the message, and repeat a 429 for minutes where it has not these words (decision 099).
 */
export const NEVER_RESETS = 'Quota exceeded (limit: 0), and no time will reset it';

/** The same where a time is known. */
export function resetsIn(ms: number): string {
  return `it starts anew in ${timeSpan(ms)}. Quota exceeded, it will reset then. Please retry in ${wholeSeconds(ms)}s`;
}
