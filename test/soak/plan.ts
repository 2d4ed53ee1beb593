import type { Script } from '../support/fake-provider/index.ts';
import { makeSecret, seededRandom } from '../unit/detectors/secrets/samples.ts';

/** Invented values planted in answers. */
export const PLANTED = makeSecret('aws_access_key_id', seededRandom(20_26)).secret;
/** Fragments of this length are found by chance nowhere else. */
const FRAGMENT = 8;

/** The provider's treatment of a request, named in the prompt. */
export const SCRIPTS = {
  plain: { outputTokens: 20 },
  secret: { text: `The key of the account is ${PLANTED} and that is all there is to say.` },
  slow: { outputTokens: 20, headersDelayMs: 700 },
  trickle: { outputTokens: 30, pieceDelayMs: 20 },
  reset: { outputTokens: 30, breakOff: { at: 5, how: 'reset' } },
  unanswered: { breakOff: { at: 'before_headers', how: 'reset' } },
  stall: { outputTokens: 30, breakOff: { at: 5, how: 'stall' } },
  error: { status: 500 },
  limited: { status: 429 },
} as const satisfies Readonly<Record<string, Script>>;

export type PlanName = keyof typeof SCRIPTS;

/** A prompt with the provider's instructions, which also identifies the request. */
export function promptOf(id: number, plan: PlanName, words: string): string {
  return `run ${String(id)} ${plan}: ${words}`;
}

export function planOf(body: string): { readonly id: number; readonly plan: PlanName } | undefined {
  const [, id = '', plan = ''] = /\brun (\d+) (\w+):/.exec(body) ?? [];
  return plan in SCRIPTS ? { id: Number(id), plan: plan as PlanName } : undefined;
}

/** Whether a text contains a piece of the planted values. */
export function holdsPlanted(text: string): boolean {
  for (let from = 0; from + FRAGMENT <= PLANTED.length; from += 1)
    if (text.includes(PLANTED.slice(from, from + FRAGMENT))) return true;
  return false;
}
