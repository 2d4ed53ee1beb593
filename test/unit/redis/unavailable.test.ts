import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { reconnectDelayMs } from '../../../src/redis/client.ts';
import { UnknownForm } from '../../../src/redis/stored-forms.ts';
import { redisUnavailable, withoutArguments, withRedisDeadline } from '../../../src/redis/unavailable.ts';

describe('redisUnavailable', () => {
  it('keeps refusals and programming errors unchanged', () => {
    const refusal = new GatewayError('budget_exceeded', 'x');
    expect(redisUnavailable(refusal)).toBe(refusal);
    const mistake = new TypeError('x is undefined');
    expect(redisUnavailable(mistake)).toBe(mistake);
  });

  it('turns all other failures into redis_unavailable, without the command and its arguments', () => {
    const failure = Object.assign(
      new Error("ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'pw-4711'"),
      {
        name: 'ReplyError',
        command: { name: 'hello', args: ['3', 'AUTH', 'default', 'pw-4711'] },
      },
    );
    const made = redisUnavailable(failure);
    expect(made).toMatchObject({ type: 'redis_unavailable', status: 503 });
    expect(String(made.cause)).toBe("ReplyError: ERR unknown command 'HELLO'");
    expect(inspect(made, { depth: 10, showHidden: true })).not.toContain('4711');
    expect(withoutArguments('a string').message).toBe('not an error');
  });
});

describe('a value of an unknown version', () => {
  it.each([
    ['a script', new Error('ERR user_script:40: UNKNOWN_FORM ledger 9 script: 5f, on @user_script:40.')],
    ['a reader', new UnknownForm('ledger', 9)],
  ])('that %s finds is stored_form_unknown, with the remedy', (_who, failure) => {
    const made = redisUnavailable(failure);
    expect(made).toMatchObject({
      type: 'stored_form_unknown',
      status: 503,
      message: expect.stringMatching(/\(ledger, version 9\).*docs\/upgrading\.md/) as string,
      cause: { form: 'ledger', version: '9' },
    });
  });

  it('is not read from other failures', () => {
    const failure = new Error('ERR user_script:40: UNKNOWN_FORM invention 9');
    expect(redisUnavailable(failure)).toMatchObject({ type: 'redis_unavailable' });
  });
});

describe('withRedisDeadline', () => {
  it('returns the result of the work', async () => {
    await expect(withRedisDeadline(1_000, () => Promise.resolve(5))).resolves.toBe(5);
  });

  it('rejects at its deadline', async () => {
    const never = withRedisDeadline(20, () => new Promise(() => undefined));
    await expect(never).rejects.toMatchObject({ type: 'redis_unavailable' });
  });
});

describe('reconnectDelayMs', () => {
  it('grows to a limit and never gives up', () => {
    for (const attempt of [1, 2, 3, 10, 1_000, 1e9]) {
      expect(reconnectDelayMs(attempt)).toBeGreaterThanOrEqual(50);
      expect(reconnectDelayMs(attempt)).toBeLessThan(2_050);
    }
    expect(reconnectDelayMs(1)).toBeLessThan(100);
    expect(reconnectDelayMs(100)).toBeGreaterThanOrEqual(2_000);
  });
});
