import type { SignInAttempts } from '../sign-in/attempt-store.ts';
import { ApiError } from './problem.ts';

/** Counts an attempt to sign in. @throws ApiError if there were too many */
export async function refuseManyAttempts(
  attempts: SignInAttempts,
  address: string,
  scope: Parameters<SignInAttempts['count']>[1],
): Promise<void> {
  const waitMs = await attempts.count(address, scope);
  if (waitMs === 0) return;
  const seconds = String(Math.ceil(waitMs / 1_000));
  throw new ApiError('rate_limited', `too many attempts to sign in: wait ${seconds} s`, {
    headers: { 'retry-after': seconds },
  });
}
