import { describe, expect, it } from 'vitest';
import { HEADER } from '../../../../src/headers.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import { SessionRead } from '../../../../src/pipeline/read-ahead.ts';
import { toExchange, type LoopConfig } from '../../../support/transcripts/replay.ts';
import { type JudgeOptions, loopRig } from './rig.ts';

interface SendOptions extends JudgeOptions {
  readonly say?: string;
  /** Tools that the model has called just before, by name. */
  readonly tools?: readonly string[];
  readonly change?: (exchange: Parsed) => Parsed;
}

/** A client that sends these prompts. */
function rig(config: LoopConfig = {}) {
  const { check, judge } = loopRig(config);
  async function send(options: SendOptions = {}): Promise<string> {
    const { say = 'Summarise the report.', change = (same) => same } = options;
    const calls = (options.tools ?? []).map((name) => ({
      id: `call_${name}`,
      type: 'function',
      function: { name, arguments: '{}' },
    }));
    const messages = [
      { role: 'user', content: say },
      ...(calls.length === 0 ? [] : [{ role: 'assistant', content: null, tool_calls: calls }]),
    ];
    const exchange = change(
      toExchange({ atSeconds: 0, provider: 'openai', body: { model: 'gpt-4o', messages } }),
    );
    return judge(exchange, options);
  }
  async function sendMany(count: number, options: SendOptions | ((nth: number) => SendOptions) = {}) {
    const seen: string[] = [];
    for (let nth = 0; nth < count; nth++) {
      seen.push(await send(typeof options === 'function' ? options(nth) : options));
    }
    return seen;
  }
  return { check, send, sendMany };
}

const withHeaders = (headers: Record<string, string>) => (exchange: Parsed) => ({
  ...exchange,
  headers: new Map(Object.entries(headers)),
});

const OTHER_WORDS = [
  'Paint the fence green.',
  'Which trains run on Sunday?',
  'Count the sheep in the photo.',
  'Write a poem about rust.',
  'Sort these names by length.',
];
/** Work with a different text each time. */
const work = (nth: number): SendOptions => ({ say: OTHER_WORDS[nth % OTHER_WORDS.length] ?? '' });

describe('loop detection', () => {
  it('does nothing if enabled is false', async () => {
    const { check, sendMany } = rig({ enabled: false });
    expect(Object.keys(check)).toEqual(['name', 'shadowable']);
    expect(await sendMany(9)).toEqual(Array(9).fill('pass'));
  });

  it('flags with action warn, and denies with action block', async () => {
    expect(await rig().sendMany(5)).toEqual(['pass', 'pass', 'pass', 'fingerprint', 'fingerprint']);
    const { sendMany } = rig({ action: 'block' });
    expect(await sendMany(5)).toEqual(['pass', 'pass', 'pass', 'fingerprint!', 'fingerprint!']);
  });

  it('denies with the detector, the remedy, and the word that SDKs should not repeat it', async () => {
    const { check, sendMany } = rig({ action: 'block', fingerprint: { threshold: 1 } });
    await sendMany(1);
    const messages = [{ role: 'user', content: 'Summarise the report.' }];
    const exchange = toExchange({ atSeconds: 0, provider: 'openai', body: { model: 'm', messages } });
    const state = check.begin?.() ?? { operationId: '', counted: [], stored: new SessionRead() };
    check.prepare?.(exchange, state);
    expect(await check.requestBody?.(exchange, state)).toEqual({
      kind: 'deny',
      type: 'loop_detected',
      message: 'loop detected (fingerprint): the session repeats the same call; change the request, or wait',
      headers: { 'x-gateway-loop-detected': 'fingerprint' },
      findings: [{ rule: 'loop', detector: 'fingerprint' }],
    });
  });

  it('judges only calls that generate, of a session with a valid id that the session check has opened', async () => {
    const cases: ((exchange: Parsed) => Parsed)[] = [
      withHeaders({}),
      withHeaders({ [HEADER.sessionId]: 'no blanks, please' }),
      (exchange) => ({ ...exchange, facts: { ...exchange.facts, session: null } }),
      (exchange) => ({ ...exchange, endpoint: { ...exchange.endpoint, operation: 'embeddings' } }),
    ];
    for (const change of cases) expect(await rig().sendMany(5, { change })).toEqual(Array(5).fill('pass'));
  });

  it('distinguishes sessions and keys', async () => {
    const { sendMany } = rig();
    await sendMany(3);
    const other = withHeaders({ [HEADER.sessionId]: 'another' });
    expect(await sendMany(3, { change: other })).toEqual(['pass', 'pass', 'pass']);
    const otherKey = (exchange: Parsed): Parsed => ({
      ...exchange,
      key: { ...exchange.key, keyHash: 'sha256:other' },
    });
    expect(await sendMany(3, { change: otherKey })).toEqual(['pass', 'pass', 'pass']);
    expect(await sendMany(1)).toEqual(['fingerprint']);
  });

  it('is judged by the normalized prompt if there is one', async () => {
    const { sendMany } = rig();
    const spelled = ['Ѕummarise the report.', 'Summ\u200barise the report.', 'Summarise%20the report.'];
    function change(exchange: Parsed): Parsed {
      const obfuscation = {
        obfuscationDetected: true,
        hasHomoglyphs: false,
        hasInvisibleChars: false,
        hasBase64Payloads: false,
        hasEncodingAttacks: false,
        hasDelimPadding: false,
      };
      const prompt = { normalizedTexts: ['Summarise the report.'], obfuscation };
      return { ...exchange, facts: { ...exchange.facts, prompt } };
    }
    const seen = await sendMany(4, (nth) => ({ say: spelled[nth] ?? 'Summarise the report.', change }));
    expect(seen.at(-1)).toBe('fingerprint');
  });
});

describe('the fingerprint', () => {
  it('fires once threshold calls like it are in the window', async () => {
    const seen = await rig({ fingerprint: { threshold: 5 } }).sendMany(7);
    expect(seen).toEqual([...Array<string>(5).fill('pass'), 'fingerprint', 'fingerprint']);
  });

  it('forgets calls older than window_seconds', async () => {
    const config = { fingerprint: { window_seconds: 10 } };
    expect(await rig(config).sendMany(8, { afterMs: 3_400 })).toEqual(Array(8).fill('pass'));
    expect((await rig(config).sendMany(8, { afterMs: 3_200 })).at(-1)).toBe('fingerprint');
  });

  it('treats calls as similar from similarity_threshold on', async () => {
    const varied = (nth: number): SendOptions => ({
      say: `Summarise the sales report for the northern team, the ${['board', 'press', 'staff', 'owners', 'union'][nth % 5] ?? ''}.`,
    });
    expect(await rig().sendMany(10, varied)).not.toContain('stall');
    expect((await rig().sendMany(5, varied)).every((seen) => seen === 'pass')).toBe(true);
    const loose = rig({ fingerprint: { similarity_threshold: 0.5 } });
    expect((await loose.sendMany(5, varied)).at(-1)).toBe('fingerprint');
    const exact = rig({ fingerprint: { similarity_threshold: 1 } });
    expect((await exact.sendMany(4)).at(-1)).toBe('fingerprint');
  });

  it('sees through padding with defeat_padding', async () => {
    const padded = (nth: number): SendOptions => ({
      say: `Attempt ${String(nth)}: summarise the report. zqx${String(nth * 7919)}k`,
    });
    expect(await rig().sendMany(5, padded)).toEqual(Array(5).fill('pass'));
    const seen = await rig({ fingerprint: { defeat_padding: true } }).sendMany(5, padded);
    expect(seen).toEqual(['pass', 'pass', 'pass', 'fingerprint', 'fingerprint']);
  });

  it('counts no call that was not forwarded, or that was answered with 429 or 5xx', async () => {
    for (const status of [0, 429, 500, 503, 529]) {
      expect(await rig().sendMany(8, { status })).toEqual(Array(8).fill('pass'));
    }
    expect((await rig().sendMany(4, { status: 400 })).at(-1)).toBe('fingerprint');
  });
});

describe('velocity', () => {
  it('fires above max_rps, whatever the content of the calls', async () => {
    const config: LoopConfig = { velocity: { max_rps: 3 } };
    expect(await rig(config).sendMany(5, (nth) => ({ ...work(nth), afterMs: 200 }))).toEqual([
      ...['pass', 'pass', 'pass'],
      ...['velocity', 'velocity'],
    ]);
    expect(await rig(config).sendMany(5, (nth) => ({ ...work(nth), afterMs: 400 }))).toEqual(
      Array(5).fill('pass'),
    );
  });

  it('reads less than one call a second as one in several seconds', async () => {
    const config: LoopConfig = { velocity: { max_rps: 0.5 } };
    const slow = await rig(config).sendMany(3, (nth) => ({ ...work(nth), afterMs: 2_000 }));
    expect(slow).toEqual(['pass', 'pass', 'pass']);
    const fast = await rig(config).sendMany(3, (nth) => ({ ...work(nth), afterMs: 1_900 }));
    expect(fast).toEqual(['pass', 'velocity', 'velocity']);
  });

  it('returns denied or unanswered calls, so that it admits as many as allowed', async () => {
    const { sendMany } = rig({ action: 'block', velocity: { max_rps: 2 } });
    const seen = await sendMany(20, (nth) => ({ ...work(nth), afterMs: 100 }));
    expect(seen.filter((one) => one === 'pass')).toHaveLength(4);
    for (const status of [0, 429, 503]) {
      const unanswered = await rig({ velocity: { max_rps: 2 } }).sendMany(9, (nth) => ({
        ...work(nth),
        status,
        afterMs: 10,
      }));
      expect(unanswered).toEqual(Array(9).fill('pass'));
    }
  });

  it('fires over max_endpoint_repeats of one tool at one path, within repeat_window_seconds', async () => {
    const config: LoopConfig = { velocity: { max_endpoint_repeats: 2, repeat_window_seconds: 30 } };
    const tools = (names: readonly string[]) => (nth: number) => ({ ...work(nth), tools: names });
    expect(await rig(config).sendMany(4, tools(['search']))).toEqual([
      'pass',
      'pass',
      'velocity',
      'velocity',
    ]);
    const { sendMany } = rig(config);
    expect(await sendMany(2, tools(['search']))).toEqual(['pass', 'pass']);
    expect(await sendMany(2, tools(['read', 'search']))).toEqual(['pass', 'pass']);
    const elsewhere = (exchange: Parsed): Parsed => ({ ...exchange, path: '/v1/other' });
    expect(await sendMany(1, { tools: ['search'], change: elsewhere })).toEqual(['pass']);
    expect(await sendMany(1, tools(['search']))).toEqual(['velocity']);
    const spread = await rig(config).sendMany(5, (nth) => ({ ...tools(['search'])(nth), afterMs: 15_000 }));
    expect(spread).toEqual(Array(5).fill('pass'));
  });

  it('is disabled if both are 0', async () => {
    expect(await rig().sendMany(9, (nth) => ({ ...work(nth), afterMs: 1 }))).toEqual(Array(9).fill('pass'));
  });
});

describe('stall', () => {
  const only: LoopConfig = { fingerprint: { threshold: 1_000 } };

  it('fires if low_diversity_threshold calls in a row differed little from the previous one', async () => {
    const config: LoopConfig = { ...only, stall: { min_hamming_distance: 8, low_diversity_threshold: 4 } };
    expect(await rig(config).sendMany(6)).toEqual([...Array<string>(4).fill('pass'), 'stall', 'stall']);
  });

  it('needs them in a row, and has no window', async () => {
    const config: LoopConfig = { ...only, stall: { min_hamming_distance: 8, low_diversity_threshold: 3 } };
    const broken = await rig(config).sendMany(12, (nth) =>
      nth % 3 === 2 ? { say: 'Paint the fence.' } : {},
    );
    expect(broken).toEqual(Array(12).fill('pass'));
    expect((await rig(config).sendMany(4, { afterMs: 600_000 })).at(-1)).toBe('stall');
  });

  it('is disabled if min_hamming_distance is 0', async () => {
    expect(await rig(only).sendMany(9)).toEqual(Array(9).fill('pass'));
  });
});
