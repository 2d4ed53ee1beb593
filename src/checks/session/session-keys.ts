import {
  driftKey,
  leftStepsKey,
  loopKey,
  riskProfileKey,
  sessionAnchorKey,
  sessionKey,
  sessionsKey,
  spendKey,
} from '../../redis/keys.ts';
import { toolCallsOf, type SessionName } from '../../conversation/session-name.ts';
import type { Step } from './store.ts';

/** Returns keys for open-session.lua and refund-step.lua. */
export function stepKeys(step: Step): string[] {
  const { keyHash } = step;
  return [...lifeKeys(step), riskProfileKey(keyHash), leftStepsKey(keyHash)];
}

/** Returns keys for move-state.lua and move-back.lua. */
export function moveKeys(step: Step): string[] {
  return [...lifeKeys(step), leftStepsKey(step.keyHash)];
}

/** Returns KEYS 1 to 3 of life.lua. */
export function lifeKeys(name: SessionName): string[] {
  return [stateKey(name), sessionsKey(name.keyHash), ledgerKey(name)];
}

/** Returns all keys of a session in its key's slot, its own string first. */
export function sessionKeys(name: SessionName): string[] {
  const { keyHash, sessionId } = name;
  return [
    stateKey(name),
    ledgerKey(name),
    loopKey(keyHash, sessionId),
    loopKey(keyHash, toolCallsOf(name).sessionId),
    loopKey(keyHash, `${sessionId}/arrivals`),
    loopKey(keyHash, `${sessionId}/rps`),
    driftKey(keyHash, sessionId),
  ];
}

/** Key templates for make-room.lua. */
export const TEMPLATES = sessionKeys({ keyHash: '#', sessionId: '*' }).join(' ');

export function stateKey({ keyHash, sessionId }: SessionName): string {
  return sessionKey(keyHash, sessionId);
}

/** Key of the ledger of a session's calls, which the budget check keeps. */
export function ledgerKey({ keyHash, sessionId }: SessionName): string {
  return spendKey(keyHash, `session:${sessionId}`);
}

export function anchorKey({ keyHash, sessionId }: SessionName): string {
  return sessionAnchorKey(keyHash, sessionId);
}
