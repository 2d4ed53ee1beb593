import { describe, expect, it } from 'vitest';
import {
  PASS,
  type Check,
  type Denial,
  type FinalVerdict,
  type StreamRewrite,
} from '../../../src/pipeline/check.ts';
import type { Answered, Identified, Parsed } from '../../../src/pipeline/exchange.ts';
import { BatchAborted, type Batch } from '../../../src/pipeline/batch.ts';
import { createRunner, type Run, type RunnerOptions } from '../../../src/pipeline/run.ts';
import type { VerdictObserver } from '../../../src/pipeline/enforcement.ts';
import type { StreamEvent } from '../../../src/providers/dialect.ts';

const DENIAL: Denial = { kind: 'deny', type: 'loop_detected', message: 'a loop' };

function exchange(): Parsed {
  return { responseHeaders: new Map<string, string>() } as unknown as Parsed;
}

function recorder() {
  const seen: string[] = [];
  const observer: VerdictObserver = {
    verdict: (_exchange, check, verdict, enforced) =>
      seen.push(`${check} ${verdict.kind} ${String(enforced)}`),
    enforceFailed: (_exchange, check) => seen.push(`${check} enforce failed`),
    endFailed: (_exchange, check) => seen.push(`${check} end failed`),
  };
  return { seen, observer };
}

/** A run of these checks; nobody observes it unless a test does. */
function runOf(checks: readonly Check[], more: Partial<RunnerOptions> = {}): Run {
  return createRunner({ checks, shadowMode: false, observer: recorder().observer, ...more })();
}

function denying(name: Check['name'], shadowable: boolean): Check {
  return { name, shadowable, requestBody: () => DENIAL };
}

describe('the runner', () => {
  it('returns the first denial and calls no later check', async () => {
    const { seen, observer } = recorder();
    const asked: string[] = [];
    const late: Check = {
      name: 'budget',
      shadowable: false,
      requestBody: () => {
        asked.push('budget');
        return { kind: 'pass' };
      },
    };
    const run = runOf([denying('key-access', false), late], { observer });
    expect(await run.requestBody(exchange())).toEqual(DENIAL);
    expect(asked).toEqual([]);
    expect(seen).toEqual(['key-access deny true']);
  });

  it('turns shadowable denials into records under shadow mode, and no others', async () => {
    const { seen, observer } = recorder();
    const checks = [denying('hosted-tools', true), denying('budget', false)];
    const run = runOf(checks, { shadowMode: true, observer });
    const parsed = exchange();
    expect(await run.requestBody(parsed)).toEqual(DENIAL);
    expect(seen).toEqual(['hosted-tools deny false', 'budget deny true']);
    expect(parsed.responseHeaders.get('x-gateway-shadow')).toBe('loop_detected');
  });

  it('continues to judge during a pending check, and waits for all in the end, also after a denial', async () => {
    const calls: string[] = [];
    const slow = (name: Check['name']): Check => ({
      name,
      shadowable: false,
      response: () => {
        calls.push(`${name} begins`);
        const meanwhile = new Promise<void>((resolve) => setTimeout(resolve, 5));
        return {
          kind: 'pending',
          verdict: meanwhile.then(() => {
            calls.push(`${name} is done`);
            return PASS;
          }),
        };
      },
    });
    const last: Check = { name: 'budget', shadowable: false, response: () => DENIAL };
    for (const checks of [
      [slow('session'), slow('loop')],
      [slow('session'), slow('loop'), last],
    ]) {
      expect(await runOf(checks).response(exchange() as Answered)).toEqual(
        checks.length === 3 ? DENIAL : undefined,
      );
      expect(calls.splice(0)).toEqual(['session begins', 'loop begins', 'session is done', 'loop is done']);
    }
  });

  it('fails if a pending check fails', async () => {
    const failing: Check = {
      name: 'loop',
      shadowable: false,
      response: () => ({ kind: 'pending', verdict: Promise.reject(new Error('Redis is gone')) }),
    };
    await expect(runOf([failing]).response(exchange() as Answered)).rejects.toThrow('Redis is gone');
  });

  describe('the batched commands of checks', () => {
    /** The batches, in order, with their outcomes; `ask` answers as their store would. */
    function batches() {
      const seen: string[] = [];
      const newBatch = (): Batch => ({
        send: () => void seen.push('sent'),
        drop: () => void seen.push('dropped'),
      });
      return { seen, newBatch };
    }
    const asking = (name: Check['name'], verdict: Promise<FinalVerdict>): Check => ({
      name,
      shadowable: false,
      requestBody: () => ({ kind: 'pending', verdict }),
      response: () => ({ kind: 'pending', verdict }),
    });
    const refusing: Check = {
      name: 'policy',
      shadowable: false,
      requestBody: () => DENIAL,
      response: () => DENIAL,
    };
    const never = Promise.reject(new BatchAborted());
    never.catch(() => undefined);

    it('are not sent for a denied request, and are written for a withheld answer', async () => {
      const { seen, newBatch } = batches();
      const open = new Promise<FinalVerdict>(() => undefined);
      const denied = runOf([asking('loop', open), refusing], { newBatch });
      expect(await denied.requestBody(exchange())).toEqual(DENIAL);
      // The first one is from their preparations.
      expect(seen.splice(0)).toEqual(['sent', 'dropped']);
      const noted = runOf([asking('loop', Promise.resolve(PASS)), refusing], { newBatch });
      expect(await noted.response(exchange() as Answered)).toEqual(DENIAL);
      expect(seen).toEqual(['sent']);
    });

    it('are dropped if a check fails before all have judged', async () => {
      const { seen, newBatch } = batches();
      const failing: Check = {
        name: 'policy',
        shadowable: false,
        requestBody: () => Promise.reject(new Error('no engine')),
      };
      const run = runOf([failing], { newBatch });
      await expect(run.requestBody(exchange())).rejects.toThrow('no engine');
      expect(seen).toEqual(['sent', 'dropped']);
    });

    it('deny by the first refusal; without one, aborted commands fail', async () => {
      const refused = Promise.resolve(DENIAL);
      const judged = (checks: readonly Check[]) => runOf(checks).requestBody(exchange());
      expect(await judged([asking('loop', never), asking('budget', refused)])).toEqual(DENIAL);
      await expect(judged([asking('loop', never)])).rejects.toThrow(BatchAborted);
      const gone = Promise.reject(new Error('Redis is gone'));
      gone.catch(() => undefined);
      await expect(judged([asking('loop', never), asking('budget', gone)])).rejects.toThrow('Redis is gone');
    });

    it('are awaited before the checks that judge last', async () => {
      const order: string[] = [];
      const taking = asking(
        'budget',
        Promise.resolve().then((): FinalVerdict => {
          order.push('taken');
          return PASS;
        }),
      );
      const last: Check = {
        name: 'policy-state',
        shadowable: false,
        judgesLast: true,
        requestBody: () => {
          order.push('last word');
          return DENIAL;
        },
      };
      expect(await runOf([last, taking]).requestBody(exchange())).toEqual(DENIAL);
      expect(order).toEqual(['taken', 'last word']);
    });
  });

  it('lets every check prepare, in order and in one turn, before the first one judges', async () => {
    const calls: string[] = [];
    const preparing = (name: Check['name']): Check => ({
      name,
      shadowable: false,
      prepare: () => calls.push(`${name} prepares`),
      requestBody: async () => {
        await Promise.resolve();
        calls.push(`${name} judges`);
        return { kind: 'pass' };
      },
    });
    const checks = [preparing('session'), preparing('loop')];
    const judged = runOf(checks).requestBody(exchange());
    expect(calls).toEqual(['session prepares', 'loop prepares']);
    await judged;
    expect(calls.slice(2)).toEqual(['session judges', 'loop judges']);
  });

  it('ends every check once, last first, with the state of its own exchange, even if one of them throws', async () => {
    const { seen, observer } = recorder();
    const ended: string[] = [];
    let states = 0;
    const ending = (name: Check['name'], fails: boolean): Check => ({
      name,
      shadowable: false,
      begin: () => ++states,
      end: (_exchange: Identified, outcome, state) => {
        ended.push(`${name} ${outcome.kind} ${String(state)}`);
        if (fails) throw new Error('no');
      },
    });
    const run = runOf([ending('key-access', false), ending('budget', true)], { observer });
    await run.end(exchange(), { kind: 'lost' });
    await run.end(exchange(), { kind: 'complete' });
    expect(ended).toEqual(['budget lost 2', 'key-access lost 1']);
    expect(seen).toEqual(['budget end failed']);
  });

  describe('a rewriter of a streamed answer', () => {
    const EVENT: StreamEvent = { frame: { raw: Buffer.from('data: {}\n\n'), data: '{}' }, deltas: [] };
    const EDITS = [{ kind: 'set', path: ['a'], value: 1 }] as const;

    function streamRig(rewrite: Omit<StreamRewrite, 'kind'>, shadowMode: boolean) {
      const { seen, observer } = recorder();
      const check: Check = {
        name: 'mcp-inspector',
        shadowable: true,
        stream: () => ({ event: () => ({ kind: 'rewrite', ...rewrite }) }),
      };
      const [rewriter] = runOf([check], { shadowMode, observer }).rewriters(exchange() as Answered);
      if (rewriter === undefined) throw new Error('no rewriter');
      return { seen, rewriter };
    }

    it('releases a rewritten event only when its side effects are done', async () => {
      const done: string[] = [];
      async function enforce(): Promise<void> {
        await Promise.resolve();
        done.push('locked');
      }
      const { seen, rewriter } = streamRig({ edits: EDITS, reason: 'a secret', enforce }, false);
      const action = await rewriter.event?.(EVENT);
      expect(done).toEqual(['locked']);
      expect(action).toMatchObject({ kind: 'rewrite', edits: EDITS });
      expect(seen).toEqual(['mcp-inspector rewrite true']);
    });

    it('keeps the rewrite and reports a failed side effect', async () => {
      const enforce = (): Promise<void> => Promise.reject(new Error('Redis is gone'));
      const { seen, rewriter } = streamRig({ edits: EDITS, reason: 'a secret', enforce }, false);
      expect(await rewriter.event?.(EVENT)).toMatchObject({ kind: 'rewrite', edits: EDITS });
      expect(seen).toEqual(['mcp-inspector rewrite true', 'mcp-inspector enforce failed']);
    });

    it('neither rewrites nor runs side effects in shadow mode', async () => {
      const done: string[] = [];
      const enforce = async (): Promise<void> => void done.push('locked');
      const { seen, rewriter } = streamRig({ edits: EDITS, reason: 'a secret', enforce }, true);
      expect(await rewriter.event?.(EVENT)).toEqual({ kind: 'pass' });
      expect(done).toEqual([]);
      expect(seen).toEqual(['mcp-inspector rewrite false']);
    });

    it('records a rewrite that changes nothing as a flag', async () => {
      const { seen, rewriter } = streamRig({ reason: 'a tool has changed' }, false);
      await rewriter.event?.(EVENT);
      expect(seen).toEqual(['mcp-inspector flag false']);
    });
  });
});
