import { describe } from 'vitest';
import { createMemorySessionStore } from '../../../../src/checks/session/memory-store.ts';
import { sessionNotesContract } from '../../../contracts/session-notes.ts';
import type { ContractOptions, StoreUnderTest } from '../../../contracts/session-rig.ts';
import { sessionRoomContract } from '../../../contracts/session-room.ts';
import { sessionStoreContract } from '../../../contracts/session-store.ts';

function inMemory(options: Required<ContractOptions>): StoreUnderTest {
  let now = 1_000_000;
  const spent = new Map<string, number>();
  const store = createMemorySessionStore({
    ...options,
    now: () => now,
    spendOf: ({ keyHash, sessionId }) => spent.get(`${keyHash} ${sessionId}`) ?? 0,
  });
  return {
    store,
    spend({ keyHash, sessionId }, nanoUsd) {
      const name = `${keyHash} ${sessionId}`;
      spent.set(name, (spent.get(name) ?? 0) + nanoUsd);
    },
    wait: (ms) => void (now += ms),
  };
}

describe('sessions in memory', () => {
  sessionStoreContract(inMemory);
  sessionRoomContract(inMemory);
  sessionNotesContract(inMemory);
});
