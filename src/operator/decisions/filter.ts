import type * as z from 'zod';
import type { liveQuery } from '../api/bodies.ts';
import type { Decision } from '../api/schemas/traffic.ts';
import type { SignedIn } from '../sign-in/roles.ts';

export type DecisionFilter = z.output<typeof liveQuery>;

export function isShown(
  decision: Decision,
  filter: DecisionFilter,
  { owner }: Pick<SignedIn, 'owner'>,
): boolean {
  if (owner !== undefined && decision.owner !== owner) return false;
  const { key, kind, disposition, ...texts } = filter;
  if (key !== undefined && decision.name !== key && decision.key_hash?.startsWith(hashStart(key)) !== true)
    return false;
  if (kind !== undefined && decision.kind !== kind) return false;
  if (disposition !== undefined && decision.disposition.toLowerCase() !== disposition.toLowerCase())
    return false;
  return (['owner', 'service', 'model', 'tool', 'refusal'] as const).every(
    (name) => texts[name] === undefined || decision[name] === texts[name],
  );
}

const MIN_HEX_CHARS = 6;

/** Returns the start of a hash. If `key` is too short or a name, returns a space, which matches no hash. */
function hashStart(key: string): string {
  const hex = key.replace(/^sha256:/, '');
  return hex.length >= MIN_HEX_CHARS && /^[0-9a-f]+$/.test(hex) ? `sha256:${hex}` : ' ';
}
