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

/** The process gets no CPU time, or one turn takes too long. */
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
  it('in the turn after a stall, and until the loop has been on time for half a second', () => {
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

  it('if the oldest message waits for a busy loop, but not for an idle one', () => {
    const waiting = message();
    admission.began(waiting);
    run(5_000, 0.1);
    expect(isShed('a')).toBe(false);
    run(1_000, 0.9);
    expect(isShed('a')).toBe(true);
    admission.answered(waiting);
    expect(isShed('a')).toBe(false);
  });

  it('but not because of one long body', () => {
    admission.began(message(1_048_576));
    run(2_000, 1);
    expect(isShed('a')).toBe(false);
    run(1_200, 1);
    expect(isShed('a')).toBe(true);
  });

  it('with a random time to retry, in both headers', () => {
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

describe('the key with the most requests is refused first', () => {
  beforeEach(() => {
    for (let n = 0; n < 100; n++) admission.served('flood');
    admission.served('small');
    admission.served('other');
  });

  it('and the other keys only at three times the delay', () => {
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('flood'), isShed('small')]).toEqual([true, false]);
    stall(2 * LIMIT_MS);
    expect([isShed('flood'), isShed('small')]).toEqual([true, true]);
    expect(shed).toEqual(['largest', 'all', 'all']);
  });

  it('also by the bytes that it sends', () => {
    admission.served('other', 2_000_000);
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('other'), isShed('flood'), isShed('small')]).toEqual([true, false, false]);
  });

  it('with keys that were never accepted, and requests without a key', () => {
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('invented'), isShed(undefined)]).toEqual([true, true]);
  });

  it('for at most ten seconds after its last request', () => {
    run(10_000, 0);
    admission.served('small');
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('flood'), isShed('small')]).toEqual([false, true]);
  });

  it('but keys with the same share are treated alike', () => {
    run(10_000, 0);
    for (const key of ['flood', 'small', 'other']) admission.served(key);
    stall(LIMIT_MS + TICK_MS);
    expect([isShed('flood'), isShed('small'), isShed('other')]).toEqual([true, true, true]);
  });
});
