import { signInKindsOf } from '../../config/ui-rules.ts';
import type { PageServices } from '../services.ts';
import { isoOrNull } from '../views/time.ts';
import type { SignInAttempts } from '../sign-in/attempt-store.ts';
import { clearSessionCookie, sessionCookie, signedIn } from '../sign-in/by-session.ts';
import { signInBody } from './bodies.ts';
import { ApiError } from './problem.ts';
import { openRoute, Reply, route, type Route } from './route.ts';
import { me, signInKinds } from './schemas/people.ts';

export function signInRoutes(services: PageServices): readonly Route[] {
  const { config, sessions, version } = services;
  return [
    openRoute({
      method: 'GET',
      path: '/api/sign-in',
      summary: 'Ways to sign in',
      answer: signInKinds,
      handle: () => Promise.resolve({ kinds: signInKindsOf(config) }),
    }),
    openRoute({
      method: 'POST',
      path: '/api/sign-in',
      summary: 'Sign in with the password',
      body: signInBody,
      handle: async ({ body, incoming, address }) => {
        await checkPassword(services, body.password, address);
        const who = { subject: 'password', name: 'admin', role: 'admin', kind: 'password' } as const;
        return signedIn(sessions, incoming, who);
      },
    }),
    route({
      method: 'POST',
      path: '/api/sign-out',
      summary: 'End the session',
      role: 'viewer',
      owners: true,
      handle: async ({ incoming }) => {
        // A proxy header takes precedence over a session, which must nevertheless end.
        const id = sessionCookie(incoming);
        if (id !== undefined) await sessions.end(id);
        return new Reply(204, {
          'set-cookie': clearSessionCookie(),
          'clear-site-data': '"cache", "storage"',
        });
      },
    }),
    route({
      method: 'GET',
      path: '/api/me',
      summary: 'Who is signed in',
      role: 'viewer',
      owners: true,
      answer: me,
      handle: ({ who, identified: { csrf, idleUntil, endsAt } }) =>
        Promise.resolve({
          name: who.name,
          role: who.role,
          owner: who.owner ?? null,
          signed_in_by: who.kind,
          csrf_token: csrf ?? null,
          idle_until: isoOrNull(idleUntil),
          ends_at: isoOrNull(endsAt),
          version,
        }),
    }),
  ];
}

/** @throws ApiError if the password is wrong or unset, password sign-in is off, or there were too many attempts */
async function checkPassword(
  { config, password, attempts, log }: PageServices,
  given: string,
  address: string,
): Promise<void> {
  if (!signInKindsOf(config).includes('password'))
    throw new ApiError('sign_in_failed', 'password sign-in is off');
  await refuseManyAttempts(attempts, address, 'all');
  const found = await password.check(given);
  if (found === 'right') {
    await attempts.forget(address);
    return;
  }
  log.warn({ client_address: address }, 'an attempt to sign in to the operator page failed');
  throw new ApiError(
    'sign_in_failed',
    found === 'unset' ? 'no password is set: run gateway ui password' : 'the password is wrong',
  );
}

/** Counts a sign-in attempt. @throws ApiError after too many attempts */
export async function refuseManyAttempts(
  attempts: SignInAttempts,
  address: string,
  scope: Parameters<SignInAttempts['count']>[1],
): Promise<void> {
  const waitMs = await attempts.count(address, scope);
  if (waitMs === 0) return;
  const seconds = String(Math.ceil(waitMs / 1_000));
  throw new ApiError('rate_limited', `too many sign-in attempts: wait ${seconds} s`, {
    headers: { 'retry-after': seconds },
  });
}
