import { hash } from 'node:crypto';
import type { TargetSettings } from '../config/sections/models.ts';
import { namedSession } from '../conversation/session-name.ts';
import type { Parsed } from '../pipeline/exchange.ts';

interface Choosable {
  readonly settings: Pick<TargetSettings, 'provider' | 'model' | 'credential' | 'weight' | 'on'>;
}

export interface Choice {
  readonly sticky: boolean;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

/**
 * Returns a target chosen by weight, then all others that may be fallbacks. A mere fallback is chosen only if all are.
 */
export function inOrder<Target extends Choosable>(
  targets: readonly Target[],
  exchange: Parsed,
  choice: Choice,
): readonly Target[] {
  const first = chosen(targets.filter(isFirstChoice), exchange, choice) ?? targets[0];
  return targets
    .filter((target) => target === first)
    .concat(targets.filter((target) => target !== first && target.settings.on.length > 0));
}

function isFirstChoice({ settings: { weight, on } }: Choosable): boolean {
  return weight !== undefined || on.length === 0;
}

/**
 * Chooses by weight. With `sticky`, a hash of the session, if there is one, replaces the random number, so that all
 * gateways choose alike.
 */
function chosen<Target extends Choosable>(
  targets: readonly Target[],
  { key, headers }: Parsed,
  { sticky, random }: Choice,
): Target | undefined {
  if (targets.length < 2) return targets[0];
  const session = sticky ? namedSession(headers) : undefined;
  let best: Target | undefined;
  let most = -Infinity;
  for (const target of targets) {
    const { provider, model, credential = '', weight = 1 } = target.settings;
    const draw =
      session === undefined ? random() : hashedDraw([key.keyHash, session, provider, model, credential]);
    // Efraimidis and Spirakis (2006): the probability that a target has the highest rank is proportional to its weight.
    const rank = Math.log(Math.max(draw, Number.MIN_VALUE)) / weight;
    if (rank <= most) continue;
    most = rank;
    best = target;
  }
  return best;
}

function hashedDraw(names: readonly string[]): number {
  return hash('sha256', JSON.stringify(names), 'buffer').readUIntBE(0, 6) / 2 ** 48;
}
