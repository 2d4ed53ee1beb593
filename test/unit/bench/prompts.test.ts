import { describe, expect, it } from 'vitest';
import { createProse, newPrompts } from '../../bench/prompts.ts';

const TARGET = { port: 1, path: '/v1/chat/completions', headers: { authorization: 'Bearer key' } };

describe('prompts of the bench', () => {
  it.each([1_024, 32_768, 1_048_576])('have the requested length: %i', (bytes) => {
    const prompt = createProse(1)(bytes);
    expect(Buffer.byteLength(prompt)).toBe(bytes);
  });

  it('are new each time, and the same in each run', () => {
    const next = createProse(7);
    const prompts = Array.from({ length: 5_000 }, () => next(200));
    expect(new Set(prompts).size).toBeGreaterThan(4_990);
    expect(createProse(7)(200)).toBe(prompts[0]);
  });

  it('do not repeat themselves', () => {
    const prompt = createProse(1)(1_048_576);
    expect(prompt.indexOf(prompt.slice(0, 60), 60)).toBe(-1);
    expect(prompt.indexOf(prompt.slice(500_000, 500_060))).toBe(500_000);
  });

  it('are sent in sessions of eight turns, and no two simultaneous ones belong to the same', () => {
    const next = newPrompts(TARGET, 100, { inSessions: true });
    const sessions = Array.from({ length: 2_048 }, () => {
      const text = next().toString();
      expect(text).toContain('authorization: Bearer key');
      return /x-gateway-session-id: (\S+)/.exec(text)?.[1];
    });
    expect(new Set(sessions.slice(0, 128)).size).toBe(128);
    expect(new Set(sessions).size).toBe(256);
    expect(sessions.filter((one) => one === sessions[0])).toHaveLength(8);
  });
});
