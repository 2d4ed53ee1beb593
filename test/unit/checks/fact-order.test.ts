import { describe, expect, it } from 'vitest';
import type { CheckOrder } from '../../../src/composition/compose.ts';
import { budget } from '../../../src/checks/budget/entry.ts';
import { ORDER } from '../../../src/checks/order.ts';
import type { Check } from '../../../src/pipeline/check.ts';
import type { Parsed } from '../../../src/pipeline/exchange.ts';
import { newFacts, type FactName } from '../../../src/pipeline/facts.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import { composedOnMemory, rethrow } from '../../support/composed-checks.ts';
import { NO_RISK, parsed } from '../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../support/mcp-exchange.ts';

type Entry = CheckOrder[number];
type Uses = Readonly<Partial<Record<'reads' | 'writes' | 'refreshes', readonly FactName[]>>>;
const usesOf = ({ facts }: Entry): Uses => facts;
const nameOf = (entry: Entry): string => String(ORDER.indexOf(entry));

/** Every rule reads something that another check learns. */
const CARD = `metadata: { name: c }
fsm: { transitions: [{ from: INIT, to: SEEN, trigger: { type: llm_call } }] }
rules:
  - { name: hidden, conditions: [{ field: obfuscation.has_homoglyphs, op: equals, value: true }], action: deny }
  - { name: drifted, conditions: [{ field: session.drift.drift_detected, op: equals, value: true }], action: deny }
  - { name: mask, conditions: [{ field: prompt_text, op: contains, value: Robin }], action: mask }
`;

/** The order with one entry put right before another. */
function moved(entry: Entry, before: Entry): CheckOrder {
  return ORDER.flatMap((one) => (one === entry ? [] : one === before ? [entry, one] : [one]));
}

/** Moves each reader before the first check that writes its facts; the budget, which counts money, is not included. */
const TOO_EARLY = ORDER.filter((entry) => entry !== budget).flatMap((reader) => {
  const { reads = [], refreshes = [] } = usesOf(reader);
  return [...new Set([...reads, ...refreshes])].flatMap((fact) => {
    const first = ORDER.find((entry) => usesOf(entry).writes?.includes(fact) === true);
    return first === undefined || first === reader
      ? []
      : [[nameOf(reader), fact, moved(reader, first)] as const];
  });
});

describe('the order of checks', () => {
  it('is one in which all is known by which each judges', async () => {
    await expect(composedOnMemory({ card: CARD })).resolves.toBeDefined();
    await expect(composedOnMemory()).resolves.toBeDefined();
  });

  it.each(TOO_EARLY)('refuses check %s before any that writes "%s"', async (_reader, _fact, order) => {
    await expect(composedOnMemory({ card: CARD, order })).rejects.toThrow(/reads the fact .*order\.ts/);
  });

  it('refuses a writer that is put last, or left out', async () => {
    expect(TOO_EARLY.length).toBeGreaterThan(10);
    const [normalization] = ORDER.filter((entry) => usesOf(entry).writes?.includes('prompt') === true);
    const others = ORDER.filter((entry) => entry !== normalization);
    for (const order of [others, ...(normalization ? [[...others, normalization]] : [])]) {
      await expect(composedOnMemory({ card: CARD, order })).rejects.toThrow('"prompt"');
    }
  });
});

/** The running check, and the facts that each has read and written. */
interface Watched {
  running: number | undefined;
  readonly read: Map<number, Set<string>>;
  readonly written: Map<number, Set<string>>;
}

/** Records calls of a check's hooks while they run; simultaneous ones cannot be told apart, so one check runs at a time. */
function watched(check: Check, index: number, watch: Watched): Check {
  return new Proxy(check, {
    get(target, name) {
      const hook: unknown = Reflect.get(target, name);
      if (name !== 'requestBody' || typeof hook !== 'function') return hook;
      return async (...args: unknown[]): Promise<unknown> => {
        watch.running = index;
        try {
          return (await Reflect.apply(hook, target, args)) as unknown;
        } finally {
          watch.running = undefined;
        }
      };
    },
  });
}

function watchedFacts<Exchange extends Parsed>(exchange: Exchange, watch: Watched): Exchange {
  function note(all: Map<number, Set<string>>, name: PropertyKey): void {
    if (watch.running === undefined) return;
    const names = all.get(watch.running) ?? new Set();
    all.set(watch.running, names.add(String(name)));
  }
  const facts = new Proxy(newFacts(NO_RISK), {
    get(target, name, receiver) {
      note(watch.read, name);
      return Reflect.get(target, name, receiver) as unknown;
    },
    set(target, name, value, receiver) {
      note(watch.written, name);
      return Reflect.set(target, name, value, receiver);
    },
  });
  return { ...exchange, facts };
}

describe('each check', () => {
  it('declares the facts that it reads and writes', async () => {
    const config = {
      session: { drift_detection: { enabled: true } },
      server: { dlp: { requests: 'mask' } },
    } as const;
    const made: Entry[] = [];
    const order = ORDER.map((entry) => {
      const make = entry.make as (...args: readonly unknown[]) => Promise<Check | undefined>;
      return {
        ...entry,
        async make(...args: readonly unknown[]): Promise<Check | undefined> {
          const check = await make(...args);
          if (check !== undefined) made[ORDER.indexOf(entry)] = entry;
          return check;
        },
      };
    }) as unknown as CheckOrder;
    const { checks } = await composedOnMemory({ card: CARD, config, order });
    const entries = made.filter((entry) => entry !== undefined);
    expect(entries).toHaveLength(checks.length);
    const watch: Watched = { running: undefined, read: new Map(), written: new Map() };
    const run = createRunner({
      checks: checks.map((check, index) => watched(check, index, watch)),
      shadowMode: false,
      observer: { verdict: () => undefined, enforceFailed: rethrow, endFailed: rethrow },
    });
    const headers = new Map([['x-gateway-session-id', 'one']]);
    const body = { model: 'm', messages: [{ role: 'user', content: 'Robin flies' }] };
    const tool = mcpExchange({ body: toolCall('echo', { text: 'Robin' }) });
    for (const exchange of [{ ...parsed({ body }), headers }, parsed({ body }), { ...tool, headers }]) {
      const one = run();
      const seen = watchedFacts(exchange, watch);
      one.prepare({ keyHash: exchange.key.keyHash });
      await one.requestHeaders(seen);
      await one.requestBody(seen);
      await one.end(seen, { kind: 'complete' });
    }
    expect(watch.read.size).toBeGreaterThan(4);
    for (const [index, entry] of entries.entries()) {
      const { reads = [], writes = [], refreshes = [] } = usesOf(entry);
      const may: readonly string[] = [...reads, ...writes, ...refreshes];
      expect([...(watch.read.get(index) ?? [])].filter((fact) => !may.includes(fact))).toEqual([]);
      const mayWrite: readonly string[] = [...writes, ...refreshes];
      expect([...(watch.written.get(index) ?? [])].filter((fact) => !mayWrite.includes(fact))).toEqual([]);
    }
  });
});
