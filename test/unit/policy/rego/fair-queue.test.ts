import { describe, expect, it } from 'vitest';
import { FairQueue, type Queued } from '../../../../src/policy/rego/fair-queue.ts';

interface Call extends Queued {
  readonly name: string;
}

const call = (tenant: string, name: string, size = 1): Call => ({ tenant, name, size });
const anyTenant = (): boolean => true;

function queueOf(calls: readonly Call[], limits = { maxEntries: 100, maxSize: 100 }): FairQueue<Call> {
  const queue = new FairQueue<Call>(limits);
  for (const one of calls) queue.add(one);
  return queue;
}

function served(queue: FairQueue<Call>, serves: (tenant: string) => boolean = anyTenant): string[] {
  const names: string[] = [];
  for (let next = queue.next(serves); next !== undefined; next = queue.next(serves)) names.push(next.name);
  return names;
}

describe('a fair queue', () => {
  it('serves tenants in turn, and the calls of each in order', () => {
    const calls = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => call(name.charAt(0), name));
    expect(served(queueOf(calls))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('serves a tenant that arrives later before the second call of one that was served', () => {
    const queue = queueOf([call('a', 'a1'), call('a', 'a2')]);
    expect(queue.next(anyTenant)?.name).toBe('a1');
    queue.add(call('b', 'b1'));
    expect(served(queue)).toEqual(['a2', 'b1']);
  });

  it('skips tenants that are not served here, and keeps their turn', () => {
    const queue = queueOf([call('a', 'a1'), call('b', 'b1'), call('a', 'a2')]);
    expect(queue.has((tenant) => tenant === 'b')).toBe(true);
    expect(served(queue, (tenant) => tenant === 'b')).toEqual(['b1']);
    expect(queue.has((tenant) => tenant === 'b')).toBe(false);
    expect(served(queue)).toEqual(['a1', 'a2']);
  });

  it('takes a place from the tenant with the most calls, not from the last one', () => {
    const queue = queueOf([call('a', 'a1'), call('a', 'a2'), call('a', 'a3')], {
      maxEntries: 3,
      maxSize: 100,
    });
    expect(queue.add(call('b', 'b1')).map(({ name }) => name)).toEqual(['a3']);
    expect(queue.add(call('a', 'a4')).map(({ name }) => name)).toEqual(['a4']);
    expect(served(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('bounds waiting characters in the same way', () => {
    const queue = queueOf([call('a', 'a1', 40), call('a', 'a2', 40)]);
    expect(queue.add(call('b', 'b1', 30)).map(({ name }) => name)).toEqual(['a2']);
    expect(queue.add(call('b', 'b2', 30))).toEqual([]);
    expect(served(queue)).toEqual(['a1', 'b1', 'b2']);
    expect(queue.add(call('c', 'c1', 100))).toEqual([]);
  });

  it('drops calls that stopped waiting, once', () => {
    const queue = queueOf([call('a', 'a1')], { maxEntries: 1, maxSize: 100 });
    const [late] = queue.add(call('b', 'b1'));
    expect(late?.name).toBe('a1');
    const waiting = call('b', 'b2');
    queue.clear();
    queue.add(waiting);
    expect([queue.remove(waiting), queue.remove(waiting)]).toEqual([true, false]);
    expect(queue.add(call('c', 'c1'))).toEqual([]);
    expect(queue.clear().map(({ name }) => name)).toEqual(['c1']);
    expect(served(queue)).toEqual([]);
  });
});
