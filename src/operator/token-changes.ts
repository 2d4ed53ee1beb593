import type { OperatorChange } from '../audit/operator-record.ts';
import { isPlainLabel, LABEL_RULE } from '../text/label.ts';
import type { Token } from './api/schemas/people.ts';
import type { ApiToken, NewApiToken } from './sign-in/tokens.ts';
import { iso, isoOrNull } from './views/time.ts';

const MAX_LIFE_MS = 366 * 86_400_000;
const MAX_NAME_CHARS = 128;

/** Returns why a token cannot be created; undefined if it can. */
export function tokenFault({ name, role, owner, lifeMs }: NewApiToken): string | undefined {
  if (name === '' || name.length > MAX_NAME_CHARS)
    return `the name must have 1 to ${String(MAX_NAME_CHARS)} characters`;
  if (!isPlainLabel(name) || (owner !== undefined && !isPlainLabel(owner)))
    return `name and owner ${LABEL_RULE}`;
  if (owner !== undefined && role !== 'viewer') return 'a token with an owner must have the role viewer';
  if (!(lifeMs > 0 && lifeMs <= MAX_LIFE_MS)) return 'the lifetime must be longer than zero and at most 366d';
  return undefined;
}

export function tokenView(token: ApiToken): Token {
  const { id, name, role, owner, createdBy, createdAt, expiresAt, lastUsedAt } = token;
  return {
    id,
    name,
    role,
    owner: owner ?? null,
    created_at: iso(createdAt),
    created_by: createdBy,
    expires_at: iso(expiresAt),
    last_used_at: isoOrNull(lastUsedAt),
  };
}

/** Returns the audit record of a created or revoked token. */
export function tokenChange(
  activity: OperatorChange['activity'],
  { id, name, role, owner, expiresAt }: ApiToken,
): OperatorChange {
  const operation = activity === 'create' ? 'tokens create' : 'tokens revoke';
  const fields = {
    token_id: id,
    token_name: name,
    token_role: role,
    ...(owner !== undefined && { token_owner: owner }),
    expires_at: iso(expiresAt),
  };
  return { activity, operation, fields };
}
