import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdmission, type Admission } from '../../../../src/extproc/admission/admission.ts';
import type { ProcessingRequest } from '../../../../src/extproc/wire/messages.ts';

const LIMIT_MS = 1_000;
const TICK_MS = 50;

let nowMs = 0;
let activeMs = 0;
let shed: string[];
let admission: Admission;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  shed = [];
  admission = createAdmission({
    limitMs: LIMIT_MS,
    onShed: (keys) => shed.push(keys),
    clocks: { now: () => nowMs, activeMs: () => activeMs },
  });
});
afterEach(() => {
  admission.close();
  vi.useRealTimers();
});

function message(bodyBytes = 0): ProcessingRequest {
  return {
    phase: 'request_body',
    headers: [],
    body: Buffer.alloc(bodyBytes),
    endOfStream: true,
    attributes: new Map(),
  };
}

/** The loop runs on time, and is busy for a share of it. */
function run(ms: number, busyShare: number): void {
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    nowMs += TICK_MS;
    activeMs += TICK_MS * busyShare;
    vi.advanceTimersByTime(TICK_MS);
  }
}

/** The process gets no CPU time, or one turn takes so long. */
function stall(ms: number): void {
  nowMs += ms;
}

/** Whether a new request of this key is refused. */
function isShed(key: string | undefined): boolean {
  try {
    admission.admit(key);
    return false;
  } catch (refusal) {
    expect(refusal).toMatchObject({ type: 'overloaded' });
    return true;
  }
}

describe('a new request is refused', () => {
  it('in the very turn that follows a stall, and until the loop has run on time for half a second', () => {
    expect(isShed('a')).toBe(false);
    stall(LIMIT_MS + TICK_MS);
    expect(isShed('a')).toBe(true);
    vi.advanceTimersByTime(TICK_MS);
    run(400, 0.1);
    expect(isShed('a')).toBe(true);
    run(200, 0.1);
    expect(isShed('a')).toBe(false);
    expect(shed).toEqual(['largest', 'largest']);
  });

  it('when the oldest message waits for a busy loop, not when the loop is idle meanwhile', () => {
    const waiting = message();
    admission.began(waiting);
    run(5_000, 0.1);
    expect(isShed('a')).toBe(false);
    run(1_000, 0.9);
    expect(isShed('a')).toBe(true);
    admission.answered(waiting);
    expect(isShed('a')).toBe(false);
  });

  it('not because one long body takes its own time', () => {
    admission.began(message(1_048_576));
    run(2_000, 1);
    expect(isShed('a')).toBe(false);
    run(1_200, 1);
    expect(isShed('a')).toBe(true);
  });

  it('with a time to come back, in both headers and not the same for all', () => {
    stall(LIMIT_MS + TICK_MS);
    const waits = Array.from({ length: 20 }, () => {
      try {
        admission.admit('a');
      } catch (refusal) {
        return (refusal as { headers: Record<string, string> }).headers;
      }
      return {};
    });
    for (const wait of waits) {
      const ms = Number(wait['retry-after-ms']);
      expect(ms).toBeGreaterThanOrEqual(1_000);
      expect(ms).toBeLessThan(2_000);
      expect(wait['retry-after']).toBe(String(Math.ceil(ms / 1_000)));
    }
    expect(new Set(waits.map((wait) => wait['retry-after-ms'])).size).toBeGreaterThan(5);
  });
});

describe('a key that asks for most is refused first', () => {
  beforeEach(() => {
    for (let n = 0; n < 100; n++) admission.served('flood');
    admission.served('small');
    admission.served('other');
  });

  it('and the others only at three times the delay', () => {
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('flood'), isShed('small')]).toEqual([true, false]);
    stall(2 * LIMIT_MS);
    expect([isShed('flood'), isShed('small')]).toEqual([true, true]);
    expect(shed).toEqual(['largest', 'all', 'all']);
  });

  it('by the bytes that it sends too', () => {
    admission.served('other', 2_000_000);
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('other'), isShed('flood'), isShed('small')]).toEqual([true, false, false]);
  });

  it('and so are keys that were never accepted, and requests without one', () => {
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('invented'), isShed(undefined)]).toEqual([true, true]);
  });

  it('for ten seconds at most after its last request', () => {
    run(10_000, 0);
    admission.served('small');
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('flood'), isShed('small')]).toEqual([false, true]);
  });

  it('but keys that ask for the same are alike', () => {
    run(10_000, 0);
    for (const key of ['flood', 'small', 'other']) admission.served(key);
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('flood'), isShed('small'), isShed('other')]).toEqual([true, true, true]);
  });
});
