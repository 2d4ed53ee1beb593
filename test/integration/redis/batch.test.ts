import * as z from 'zod';
import { beforeEach, describe, expect, it } from 'vitest';
import { BatchAborted } from '../../../src/pipeline/batch.ts';
import { createOperations, RedisBatch, type Operation } from '../../../src/redis/batch.ts';
import { loadScript, type ScriptArg } from '../../../src/redis/script.ts';
import { useTestRedis } from '../../support/redis.ts';
import { scriptRuns } from '../../support/redis-counts.ts';

const takeScript = loadScript(new URL('./scripts/take.lua', import.meta.url));
const noteScript = loadScript(new URL('./scripts/note.lua', import.meta.url));

const takeReply = z.tuple([z.enum(['taken', 'refused']), z.int(), z.string()]);
const noteReply = z.tuple([z.int(), z.string()]);

const redis = useTestRedis();
beforeEach(() => redis.flush());

type Taken = z.output<typeof takeReply>;

function take(key: string, many: number, otherwise?: (reply: Taken) => ScriptArg[] | undefined) {
  const operation: Operation<Taken> = {
    script: takeScript,
    keys: [key],
    args: [many],
    read: (reply) => takeReply.parse(reply),
    ...(otherwise && { otherwise }),
  };
  return operation;
}

function note(key: string, what: string): Operation<z.output<typeof noteReply>> {
  return { script: noteScript, keys: [key], args: [what], read: (reply) => noteReply.parse(reply) };
}

const newBatch = (): RedisBatch => new RedisBatch(redis.client, 1_000);
const operations = () => createOperations(redis.client, 1_000);

describe('a batch', () => {
  it('sends its commands as one script, in which each part sees its own keys and arguments', async () => {
    await redis.client.mset('{a}:1', 5, '{a}:2', 7);
    function askAll() {
      const batch = newBatch();
      const answers = [
        operations().run(take('{a}:1', 2), batch),
        operations().run(note('{a}:notes', 'x'), batch),
        operations().run(take('{a}:2', 3), batch),
      ];
      return { batch, answers };
    }
    const { batch, answers } = askAll();
    await redis.client.ping();
    expect(await redis.client.exists('{a}:notes')).toBe(0);
    batch.send();
    expect(await Promise.all(answers)).toEqual([
      ['taken', 5, '{a}:1=2'],
      [1, '{a}:notes=x'],
      ['taken', 7, '{a}:2=3'],
    ]);
    expect(await redis.client.mget('{a}:1', '{a}:2')).toEqual(['3', '4']);
    // Redis knows the script from here on.
    const before = await scriptRuns(redis.client);
    const again = askAll();
    again.batch.send();
    await Promise.all(again.answers);
    expect((await scriptRuns(redis.client)) - before).toBe(1);
  });

  it('does nothing if one part refuses, and reports that to the others', async () => {
    await redis.client.mset('{a}:1', 5, '{a}:2', 1);
    const batch = newBatch();
    const [first, second, third] = [take('{a}:1', 2), take('{a}:2', 3), note('{a}:notes', 'x')].map(
      (operation) => operations().run<unknown>(operation as Operation<unknown>, batch),
    );
    batch.send();
    expect(await second).toEqual(['refused', 1, '{a}:2=3']);
    await expect(first).rejects.toThrow(BatchAborted);
    await expect(third).rejects.toThrow(BatchAborted);
    expect(await redis.client.mget('{a}:1', '{a}:2')).toEqual(['5', '1']);
    expect(await redis.client.exists('{a}:notes')).toBe(0);
  });

  it('is repeated once with the refused part’s replacement, in a batch and alone', async () => {
    await redis.client.mset('{a}:1', 5, '{a}:2', 3);
    const less = take('{a}:2', 4, ([verdict, left]) => (verdict === 'refused' ? [left - 1] : undefined));
    const batch = newBatch();
    const answers = [operations().run(take('{a}:1', 2), batch), operations().run(less, batch)];
    batch.send();
    expect(await Promise.all(answers)).toEqual([
      ['taken', 5, '{a}:1=2'],
      ['taken', 3, '{a}:2=2'],
    ]);
    expect(await redis.client.mget('{a}:1', '{a}:2')).toEqual(['3', '1']);
    const never = take('{a}:2', 9, () => [8]);
    expect(await operations().run(never)).toEqual(['refused', 1, '{a}:2=8']);
    expect(await operations().run(take('{a}:2', 1, () => [0]))).toEqual(['taken', 1, '{a}:2=1']);
  });

  it('sends nothing if dropped; later commands are sent at once', async () => {
    await redis.client.set('{a}:1', 5);
    const dropped = newBatch();
    const never = operations().run(take('{a}:1', 1), dropped);
    dropped.drop();
    await expect(never).rejects.toThrow(BatchAborted);
    const sent = newBatch();
    sent.send();
    expect(await operations().run(take('{a}:1', 1), sent)).toEqual(['taken', 5, '{a}:1=1']);
    expect(await redis.client.get('{a}:1')).toBe('4');
  });

  it('fails as a whole if Redis fails, or a reply is malformed', async () => {
    await redis.client.mset('{a}:1', 5, '{a}:notes', 'no list');
    const batch = newBatch();
    const answers = [
      operations().run(take('{a}:1', 1), batch),
      operations().run(note('{a}:notes', 'x'), batch),
    ];
    batch.send();
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(await redis.client.get('{a}:1')).toBe('5');
    const odd = newBatch();
    const { script, keys, args } = note('{a}:2', 'x');
    const wrong = operations().run({ script, keys, args, read: (reply) => takeReply.parse(reply) }, odd);
    odd.send();
    await expect(wrong).rejects.toMatchObject({ type: 'redis_unavailable' });
  });

  it('loads its script again after Redis has dropped it', async () => {
    await redis.client.set('{a}:1', 5);
    await redis.client.script('FLUSH');
    const batch = newBatch();
    const answers = [
      operations().run(take('{a}:1', 1), batch),
      operations().run(note('{a}:notes', 'x'), batch),
    ];
    batch.send();
    expect(await Promise.all(answers)).toHaveLength(2);
  });
});
