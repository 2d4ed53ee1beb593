import type { RedisClient } from '../redis/client.ts';
import { authFailuresKey } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';

const countScript = loadScript(new URL('./count-failure.lua', import.meta.url));

const MINUTE_MS = 60_000;
/** Addresses that one instance remembers within a minute; those beyond are treated as over the limit. */
const MAX_ADDRESSES = 20_000;

export interface FailureLimitOptions {
  readonly client: RedisClient;
  /** `auth.max_failures_per_minute`. */
  readonly maxFailuresPerMinute: number;
  /** For log and metric; `overLimit` failures should be counted, not logged. */
  readonly onFailure: (failure: { readonly clientAddress: string; readonly overLimit: boolean }) => void;
  /** Told when Redis could not count: the refusal stands all the same. */
  readonly onCountFailed?: (failure: unknown) => void;
  /** Unix ms. */
  readonly now?: () => number;
}

/**
 * Counts failed authentications per client address and minute, in Redis so that instances agree. It only
 * quietens: past the limit an instance stops writing and logging for that address until the minute ends, and the
 * answer stays the same 401. A good key is never refused for what others at its address did.
 */
export function createFailureLimit(options: FailureLimitOptions): (clientAddress: string) => void {
  const { client, maxFailuresPerMinute, onFailure, onCountFailed, now = Date.now } = options;
  const failures = new Map<string, number>();
  let minute = 0;

  return (clientAddress) => {
    const thisMinute = Math.floor(now() / MINUTE_MS);
    if (thisMinute !== minute) {
      minute = thisMinute;
      failures.clear();
    }
    const group = addressGroup(clientAddress);
    const before = failures.get(group) ?? (failures.size < MAX_ADDRESSES ? 0 : Infinity);
    const overLimit = before >= maxFailuresPerMinute;
    onFailure({ clientAddress, overLimit });
    if (overLimit) return;
    failures.set(group, before + 1);
    countScript.run(client, [authFailuresKey(group, thisMinute)], [2 * MINUTE_MS]).then(
      (counted) => {
        const seen = failures.get(group);
        if (minute === thisMinute && seen !== undefined) failures.set(group, Math.max(seen, Number(counted)));
      },
      (failure: unknown) => onCountFailed?.(failure),
    );
  };
}

/** One IPv6 customer has a whole /64 of addresses: they count as one. */
export function addressGroup(clientAddress: string): string {
  if (!clientAddress.includes(':')) return clientAddress;
  const [head = '', tail] = clientAddress.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  // An IPv4 address in IPv6 clothes is one address.
  if (groups.at(-1)?.includes('.') === true) return groups.at(-1) ?? clientAddress;
  return `${groups
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
