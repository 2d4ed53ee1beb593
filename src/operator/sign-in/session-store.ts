import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { UI_PASSWORD, uiSessionKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { passwordMark } from './password-store.ts';
import { ROLES, SIGN_IN_KINDS, type SignedIn } from './roles.ts';

const beginScript = loadScript(new URL('./begin-session.lua', import.meta.url));
const useScript = loadScript(new URL('./use-session.lua', import.meta.url));

const ID_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{43}$/;

/** A session of the operator page. Times are Unix ms in Redis time. */
export interface PageSession {
  readonly who: SignedIn;
  /** The page must send this token with each change. */
  readonly csrf: string;
  /** End of the session unless the person uses it before then. */
  readonly idleUntil: number;
  readonly endsAt: number;
}

/** Sessions of the operator page, shared by all gateways on one Redis. Failures throw `redis_unavailable`. */
export interface PageSessions {
  /** @returns the secret id for the cookie; Redis stores only its hash */
  begin(who: SignedIn): Promise<{ readonly id: string; readonly session: PageSession }>;
  /** Returns undefined for an unknown or ended session. Only a person's action postpones the idle end. */
  use(id: string, by: 'person' | 'polling'): Promise<PageSession | undefined>;
  end(id: string): Promise<void>;
}

const storedSession = z.object({
  who: z.object({
    subject: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    owner: z.string().optional(),
    kind: z.enum(SIGN_IN_KINDS),
  }),
  csrf: z.string(),
  /** Mark of the password at sign-in. A new password ends the session. */
  password: z.string().optional(),
});

const begun = z.tuple([z.coerce.number(), z.coerce.number()]);
const used = z.tuple([z.coerce.number(), z.coerce.number(), z.string(), z.string()]);

export interface PageSessionsOptions extends RedisStoreOptions {
  readonly idleMs: number;
  readonly absoluteMs: number;
}

export function createPageSessions(options: PageSessionsOptions): PageSessions {
  const { client, deadlineMs, idleMs, absoluteMs } = options;
  const within = <T>(work: () => Promise<T>): Promise<T> => withRedisDeadline(deadlineMs, work);
  return {
    begin: (who) =>
      within(async () => {
        const [id, csrf] = [randomBytes(ID_BYTES), randomBytes(ID_BYTES)].map((bytes) =>
          bytes.toString('base64url'),
        ) as [string, string];
        const password =
          who.kind === 'password' ? passwordMark((await client.get(UI_PASSWORD)) ?? '') : undefined;
        const stored = JSON.stringify({ who, csrf, password });
        const reply = await beginScript.run(client, [keyOf(id)], [idleMs, absoluteMs, stored]);
        const [idleUntil, endsAt] = begun.parse(reply);
        return { id, session: { who, csrf, idleUntil, endsAt } };
      }),
    use: async (id, by) => {
      if (!ID.test(id)) return undefined;
      return within(async () => {
        const reply = await useScript.run(client, [keyOf(id), UI_PASSWORD], [by === 'person' ? idleMs : 0]);
        if (Array.isArray(reply) && reply.length === 0) return undefined;
        const [, idleUntil, stored, password] = used.parse(reply);
        const space = stored.indexOf(' ');
        const session = storedSession.parse(JSON.parse(stored.slice(space + 1)));
        const { who, csrf } = session;
        if (session.password !== undefined && session.password !== passwordMark(password)) {
          await client.del(keyOf(id));
          return undefined;
        }
        return { who, csrf, idleUntil, endsAt: Number(stored.slice(0, space)) };
      });
    },
    end: async (id) => {
      if (ID.test(id)) await within(() => client.del(keyOf(id)));
    },
  };
}

function keyOf(id: string): string {
  return uiSessionKey(createHash('sha256').update(id).digest('hex'));
}
