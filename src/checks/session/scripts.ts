import { loadScript } from '../../redis/script.ts';
import { lifeMs } from './session-fields.ts';
import { LEASE_MS } from '../lease.ts';
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

/** Returns a session's Redis keys in the slot of its gateway key, the session string first. */
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

const TEMPLATES = sessionKeys({ keyHash: '#', sessionId: '*' }).join(' ');

export function stateKey({ keyHash, sessionId }: SessionName): string {
  return sessionKey(keyHash, sessionId);
}

/** Key of the session ledger that the budget check keeps. */
export function ledgerKey({ keyHash, sessionId }: SessionName): string {
  return spendKey(keyHash, `session:${sessionId}`);
}

export function anchorKey({ keyHash, sessionId }: SessionName): string {
  return sessionAnchorKey(keyHash, sessionId);
}

/** Limits for keys without `session.max_per_key`. */
export interface SessionRoom {
  readonly maxLive: number;
  readonly maxKeyBytes: number;
  readonly measuredFrom: number;
}

/** How long the index of life.lua outlives a session; see session.lua. */
const INDEX_LAG_MS = 10_000;

export function loadSessionScripts(ttlMs: number, maxPerKey: number, room: SessionRoom) {
  const unansweredMs = lifeMs(false, ttlMs);
  const life = {
    SESSION_TTL: ttlMs,
    SESSION_TTL_TEXT: String(ttlMs),
    UNANSWERED_LIFE: unansweredMs,
    UNANSWERED_LIFE_TEXT: String(unansweredMs),
    INDEX_LIFE_TEXT: String(ttlMs + INDEX_LAG_MS),
    CALL_LEASE: LEASE_MS,
  };
  const bounds = {
    MAX_PER_KEY: maxPerKey,
    MAX_LIVE: room.maxLive,
    MAX_KEY_BYTES: room.maxKeyBytes,
    MEASURED_FROM: room.measuredFrom,
    TEMPLATES,
  };
  return {
    open: loadScript(new URL('./open-session.lua', import.meta.url), { ...life, ...bounds }),
    leave: loadScript(new URL('./refund-step.lua', import.meta.url), life),
    finish: loadScript(new URL('./finish-call.lua', import.meta.url), life),
    renew: loadScript(new URL('./renew-call.lua', import.meta.url), life),
    answer: loadScript(new URL('./answer-session.lua', import.meta.url), life),
    note: loadScript(new URL('./note-session.lua', import.meta.url), life),
    move: loadScript(new URL('./move-state.lua', import.meta.url), life),
    end: loadScript(new URL('./end-session.lua', import.meta.url)),
    moveBack: loadScript(new URL('./move-back.lua', import.meta.url), life),
  };
}
