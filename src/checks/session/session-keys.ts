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
import { toolCallsOf, type SessionName } from '../../conversation/session-turn.ts';
import type { Step } from './store.ts';

/** As open-session.lua and leave-session.lua want them. */
export function stepKeys(step: Step): string[] {
  const { keyHash } = step;
  return [...lifeKeys(step), riskProfileKey(keyHash), leftStepsKey(keyHash)];
}

/** As move-state.lua and move-back.lua want them. */
export function moveKeys(step: Step): string[] {
  return [...lifeKeys(step), leftStepsKey(step.keyHash)];
}

/** KEYS 1 to 3, as life.lua wants them. */
export function lifeKeys(name: SessionName): string[] {
  return [stateKey(name), sessionsKey(name.keyHash), ledgerKey(name)];
}

/** All that hangs on a session in its key's slot, its own string first. */
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

/** As make-room.lua wants them. */
export const TEMPLATES = sessionKeys({ keyHash: '#', sessionId: '*' }).join(' ');

export function stateKey({ keyHash, sessionId }: SessionName): string {
  return sessionKey(keyHash, sessionId);
}

/** The ledger of the account that the budget check charges a session's calls to. */
export function ledgerKey({ keyHash, sessionId }: SessionName): string {
  return spendKey(keyHash, `session:${sessionId}`);
}

export function anchorKey({ keyHash, sessionId }: SessionName): string {
  return sessionAnchorKey(keyHash, sessionId);
}
