import { GatewayError } from '../errors.ts';
import { storedFormUnknown, unknownFormOf } from './stored-forms.ts';

const MAX_REASON_CHARS = 200;

/** Bugs in our own code, which must stay visible. The request is refused nevertheless. */
const OWN_MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Converts unknown stored versions to `stored_form_unknown`, and other Redis failures to `redis_unavailable`. Returns
 * gateway errors and `OWN_MISTAKES` unchanged.
 */
export function redisUnavailable(failure: unknown): Error {
  if (failure instanceof GatewayError) return failure;
  const unknownForm = unknownFormOf(failure);
  if (unknownForm !== undefined) return storedFormUnknown(unknownForm);
  if (OWN_MISTAKES.some((mistake) => failure instanceof mistake)) return failure as Error;
  return new GatewayError(
    'redis_unavailable',
    'Redis is unavailable: requests are refused until it is back',
    {
      cause: withoutArguments(failure),
    },
  );
}

/**
 * Returns a copy of an error that is safe to log. ioredis attaches command arguments, such as the AUTH password, and
 * servers before Redis 6 quote them in the message.
 */
export function withoutArguments(failure: unknown): Error {
  const message = failure instanceof Error ? failure.message : 'not an error';
  const quoted = message.indexOf(', with args beginning with');
  const reason = (quoted === -1 ? message : message.slice(0, quoted)).slice(0, MAX_REASON_CHARS);
  const copy = new Error(reason);
  copy.name = failure instanceof Error ? failure.name : 'RedisFailure';
  return copy;
}

export function withRedisDeadline<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(redisUnavailable(new Error(`Redis did not answer within ${deadlineMs} ms`)));
    }, deadlineMs);
    function fail(failure: unknown): void {
      clearTimeout(timer);
      reject(redisUnavailable(failure));
    }
    try {
      work().then((result) => {
        clearTimeout(timer);
        resolve(result);
      }, fail);
    } catch (failure) {
      fail(failure);
    }
  });
}

/**
 * Wraps `work` so that its failures are converted by `redisUnavailable`.
 * @param isOwn reports whether to rethrow a failure unchanged
 */
export function guarded<Args extends readonly unknown[], T>(
  work: (...args: Args) => Promise<T>,
  isOwn: (failure: unknown) => boolean = () => false,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    try {
      return await work(...args);
    } catch (failure) {
      throw isOwn(failure) ? failure : redisUnavailable(failure);
    }
  };
}
