import { setTimeout as delay } from 'node:timers/promises';
import { spendInSession } from '../../../../support/session-spend.ts';
import { sessionNotesContract } from '../../../../contracts/session-notes.ts';
import type { ContractOptions, StoreUnderTest } from '../../../../contracts/session-rig.ts';
import { sessionStoreContract } from '../../../../contracts/session-store.ts';
import { client, sessionStore } from './rig.ts';
import { sessionRoomContract } from '../../../../contracts/session-room.ts';

export function sessionsInRedis(): void {
  sessionStoreContract(inRedis);
  sessionRoomContract(inRedis);
  sessionNotesContract(inRedis);
}

function inRedis(options: Required<ContractOptions>): StoreUnderTest {
  return {
    store: sessionStore(options),
    spend: (name, nanoUsd) => spendInSession(client, name, nanoUsd),
    wait: (ms) => delay(ms),
  };
}
