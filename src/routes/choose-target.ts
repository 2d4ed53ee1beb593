import { hash } from 'node:crypto';
import type { TargetSettings } from '../config/sections/models.ts';
import { namedSession } from '../conversation/session-turn.ts';
import type { Parsed } from '../pipeline/exchange.ts';

interface Weighted {
  readonly settings: Pick<TargetSettings, 'provider' | 'model' | 'credential' | 'weight'>;
}

export interface Choice {
  /** `routes.sticky`. */
  readonly sticky: boolean;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
}

/**
 * Orders targets by weighted choice, the chosen one first. Every gateway chooses the same for a session, without asking
 * Redis: each target draws a number from the session's name, and the order changes only where targets come or go.
 */
export function inOrderOfChoice<Target extends Weighted>(
  targets: readonly Target[],
  { key, headers }: Parsed,
  { sticky, random }: Choice,
): readonly Target[] {
  if (targets.length === 1) return targets;
  const session = sticky ? namedSession(headers) : undefined;
  const drawn = targets.map((target) => {
    const { provider, model, credential = '', weight } = target.settings;
    const draw =
      session === undefined ? random() : drawnBy([key.keyHash, session, provider, model, credential]);
    // Efraimidis and Spirakis (2006): the largest of these is each target's with the chance of its weight.
    return { target, rank: Math.log(Math.max(draw, Number.MIN_VALUE)) / weight };
  });
  return drawn.sort((one, other) => other.rank - one.rank).map(({ target }) => target);
}

/** Returns a number from 0 to 1, without 1, that follows from the names. */
function drawnBy(names: readonly string[]): number {
  return hash('sha256', JSON.stringify(names), 'buffer').readUIntBE(0, 6) / 2 ** 48;
}
