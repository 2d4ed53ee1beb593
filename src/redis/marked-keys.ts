import type { RedisClient } from './client.ts';
import { MARKED_KEYS } from './keys.ts';
import { loadScript } from './script.ts';

const markScript = loadScript(new URL('./mark-key.lua', import.meta.url));

/** Longer than the highest score takes to decay, and longer than a budget can stay spent. */
export const MARK_MS = 40 * 86_400_000;

/**
 * Marks a key with a score, lock, block or limit of 0, so that lists show it even if it is not used. Must be sent
 * before the state is written, but the write need not wait for it.
 * @param forMs Infinity for a permanent state
 */
export async function markKey(client: RedisClient, keyHash: string, forMs: number): Promise<void> {
  await markScript.run(client, [MARKED_KEYS], [keyHash, Number.isFinite(forMs) ? Math.ceil(forMs) : '']);
}
