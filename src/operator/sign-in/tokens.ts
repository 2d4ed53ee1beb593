import { hash, randomBytes } from 'node:crypto';

import * as z from 'zod';

import type { OperatorChange } from '../../audit/operator-record.ts';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { readClock } from '../../redis/clock.ts';
import { UI_TOKEN_USES, UI_TOKENS } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { isPlainLabel, LABEL_RULE } from '../../text/label.ts';
import { ApiError } from '../api/problem.ts';
import type { Token } from '../api/schemas/people.ts';
import { ChangeRefused } from '../changed.ts';
import { iso, isoOrNull } from '../views/time.ts';
import type { Identify } from './identify.ts';
import { ROLES, type Role, type SignedIn } from './roles.ts';

const createScript = loadScript(new URL('./create-token.lua', import.meta.url));
const noteUseScript = loadScript(new URL('./note-token-use.lua', import.meta.url));

const TOKEN_PREFIX = 'gwapi_';
export const MAX_TOKENS = 1_000;
const TOKEN_BYTES = 32;
const TOKEN = /^gwapi_[\w-]{43}$/;
/** Length of a token id, which must distinguish MAX_TOKENS tokens and is not a credential. */
const ID_HEX_CHARS = 16;
/** Minimum interval between writes of the last use. */
const NOTE_EVERY_MS = 60_000;

/** A token without its secret. Times are Unix ms in Redis time. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** If set, the token shows only keys with this owner. */
  readonly owner?: string | undefined;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number | undefined;
}

export interface NewApiToken extends Pick<ApiToken, 'name' | 'role' | 'owner' | 'createdBy'> {
  readonly lifeMs: number;
}

/** API tokens (docs/operator-page.md). All functions throw `redis_unavailable` if Redis fails. */
export interface ApiTokens {
  /**
   * Returns the secret, which is not stored.
   * @throws ChangeRefused if there are already MAX_TOKENS
   */
  create(token: NewApiToken): Promise<{ readonly secret: string; readonly token: ApiToken }>;
  /** Returns unexpired tokens, oldest first. */
  list(): Promise<readonly ApiToken[]>;
  /** Returns the revoked token, or undefined for an unknown id. */
  revoke(id: string): Promise<ApiToken | undefined>;
  /** Returns undefined for an unknown, revoked or expired token. */
  verify(secret: string): Promise<SignedIn | undefined>;
}

const storedSchema = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  owner: z.string().optional(),
  created_by: z.string(),
  created_at: z.number(),
  expires_at: z.number(),
});

export function createApiTokens({ client, deadlineMs }: RedisStoreOptions): ApiTokens {
  const within = <T>(work: () => Promise<T>) => withRedisDeadline(deadlineMs, work);

  async function all(): Promise<readonly ApiToken[]> {
    const [tokens, uses, now] = await Promise.all([
      client.hgetall(UI_TOKENS),
      client.hgetall(UI_TOKEN_USES),
      readClock(client),
    ]);
    return Object.entries(tokens)
      .map(([tokenHash, text]) => read(tokenHash, text, uses[tokenHash]))
      .filter(({ expiresAt }) => expiresAt > now)
      .toSorted((one, other) => one.createdAt - other.createdAt);
  }

  async function hashOf(id: string): Promise<string | undefined> {
    return (await client.hkeys(UI_TOKENS)).find((tokenHash) => idOf(tokenHash) === id);
  }

  return {
    async create({ lifeMs, name, role, owner, createdBy }) {
      const secret = TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
      const tokenHash = hashToken(secret);
      const stored = JSON.stringify({ name, role, owner, created_by: createdBy });
      const reply = await within(() =>
        createScript.run(client, [UI_TOKENS, UI_TOKEN_USES], [tokenHash, lifeMs, MAX_TOKENS, stored]),
      );
      const [code, text] = z.array(z.string()).parse(reply);
      if (code !== 'created' || text === undefined)
        throw new ChangeRefused(
          `there are already ${String(MAX_TOKENS)} API tokens: revoke one that is not used`,
        );
      return { secret, token: read(tokenHash, text, undefined) };
    },
    list: () => within(all),
    revoke: (id) =>
      within(async () => {
        const tokenHash = await hashOf(id);
        const text = tokenHash === undefined ? null : await client.hget(UI_TOKENS, tokenHash);
        if (tokenHash === undefined || text === null) return undefined;
        await client.hdel(UI_TOKENS, tokenHash);
        await client.hdel(UI_TOKEN_USES, tokenHash);
        return read(tokenHash, text, undefined);
      }),
    async verify(secret) {
      if (!isApiToken(secret)) return undefined;
      const tokenHash = hashToken(secret);
      const [text, usedAt, now] = await within(() =>
        Promise.all([
          client.hget(UI_TOKENS, tokenHash),
          client.hget(UI_TOKEN_USES, tokenHash),
          readClock(client),
        ]),
      );
      if (text === null) return undefined;
      const { id, name, role, owner, expiresAt } = read(tokenHash, text, undefined);
      if (expiresAt <= now) return undefined;
      if (now - Number(usedAt ?? 0) >= NOTE_EVERY_MS)
        await within(() => noteUseScript.run(client, [UI_TOKENS, UI_TOKEN_USES], [tokenHash]));
      return { subject: id, name, role, owner, kind: 'token' };
    },
  };
}

export function isApiToken(text: string): boolean {
  return TOKEN.test(text);
}

function hashToken(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function idOf(tokenHash: string): string {
  return tokenHash.slice(0, ID_HEX_CHARS);
}

function read(tokenHash: string, text: string, usedAt: string | undefined): ApiToken {
  const {
    created_by: createdBy,
    created_at: createdAt,
    expires_at: expiresAt,
    ...rest
  } = storedSchema.parse(JSON.parse(text));
  return {
    id: idOf(tokenHash),
    ...rest,
    createdBy,
    createdAt,
    expiresAt,
    lastUsedAt: usedAt === undefined ? undefined : Number(usedAt),
  };
}

const BEARER = /^Bearer ([\x21-\x7e]{1,128})$/i;

/** Identifies a program by its API token. @throws ApiError for an `Authorization` header without a valid token */
export function byToken(tokens: ApiTokens): Identify {
  return async ({ headers }) => {
    const { authorization } = headers;
    if (authorization === undefined) return undefined;
    const [, secret] = BEARER.exec(authorization) ?? [];
    const who = secret === undefined ? undefined : await tokens.verify(secret);
    if (who === undefined)
      throw new ApiError('not_signed_in', 'the API token is unknown, revoked or expired');
    return { who, csrf: undefined };
  };
}

const MAX_LIFE_MS = 366 * 86_400_000;
const MAX_NAME_CHARS = 128;

/** Returns the reason why a token cannot be created, or undefined if it can. */
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
