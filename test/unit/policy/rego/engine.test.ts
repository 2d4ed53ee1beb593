import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startRegoEngine,
  type RegoEngine,
  type RegoEngineOptions,
} from '../../../../src/policy/rego/engine.ts';
import { RegoFilesError } from '../../../../src/policy/rego/rego-error.ts';

const OPTIONS: RegoEngineOptions = {
  evaluationMs: 500,
  graceMs: 1_500,
  startMs: 60_000,
  maxWaiting: 100,
  waitMs: 60_000,
};

function engineOf(...texts: string[]): Promise<RegoEngine> {
  return startRegoEngine(
    texts.map((text, index) => ({ name: `policy-${index}.rego`, text: `package gateway.policy\n${text}\n` })),
    OPTIONS,
  );
}

const judged = async (engine: RegoEngine, input: unknown): Promise<unknown> =>
  engine.evaluate(JSON.stringify(input), 'a key');

describe('Rego on OPA itself', { timeout: 120_000 }, () => {
  let engine: RegoEngine;

  beforeAll(async () => {
    engine = await engineOf(
      'default allow = false\nallow { input.agent.name == "alice" }\ndeny[msg] { input.request.model == "m"; msg := "no m" }',
      'deny contains msg if { some flag in input.session.flags; msg := sprintf("flag %v", [flag]) }',
      'deny contains "endless" if { input.endless; r := numbers.range(1, 400); r[a] + r[b] + r[c] + r[d] < 0 }',
    );
  }, 120_000);

  afterAll(() => engine.close());

  it('judges files of both Rego versions as one set', async () => {
    const input = { agent: { name: 'alice' }, request: { model: 'm' }, session: { flags: ['b', 'a'] } };
    expect(await judged(engine, input)).toEqual({ allow: true, deny: ['flag a', 'flag b', 'no m'] });
    expect(await judged(engine, { agent: { name: 'bob' } })).toEqual({ allow: false, deny: [] });
  });

  it('reports the rules, and which parts of the input they read', () => {
    expect(engine.facts.rules.map(({ name }) => name)).toEqual(expect.arrayContaining(['allow', 'deny']));
    expect(engine.facts.inputs).toEqual(
      expect.arrayContaining([
        ['agent', 'name'],
        ['request', 'model'],
        ['session', 'flags'],
      ]),
    );
    expect(engine.facts.inputs).not.toContainEqual([]);
  });

  it('gives up an endless evaluation, and judges the next input', async () => {
    await expect(judged(engine, { endless: true })).rejects.toMatchObject({ trouble: 'failed' });
    expect(await judged(engine, {})).toEqual({ allow: false, deny: [] });
  });

  it('names every broken file with its line', async () => {
    const broken = startRegoEngine(
      [
        { name: 'a.rego', text: 'package gateway.policy\n\ndeny[msg {\n' },
        { name: 'b.rego', text: 'package gateway.policy\nallow if input.x ==' },
      ],
      OPTIONS,
    );
    await expect(broken).rejects.toBeInstanceOf(RegoFilesError);
    await expect(broken).rejects.toThrow(/a\.rego:3:[\s\S]*b\.rego:2:/u);
  });

  it.each([
    'http.send({"method": "get", "url": "http://127.0.0.1/"})',
    'net.lookup_ip_addr("localhost")',
    'opa.runtime()',
  ])('cannot reach outside: %s', async (call) => {
    await expect(engineOf(`deny contains "x" if { r := ${call}; r }`)).rejects.toThrow(/undefined function/u);
  });

  it('reports a rule that reads the whole input', async () => {
    const whole = await engineOf('deny contains "x" if { walk(input, [_, "secret"]) }');
    expect(whole.facts.inputs).toContainEqual([]);
    await whole.close();
  });

  it('refuses waiting calls when it is closed', async () => {
    const other = await engineOf('deny contains "x" if { input.x }');
    const waiting = [judged(other, { x: 1 }), judged(other, { x: 1 })].map((each) =>
      each.catch((error: unknown) => error),
    );
    await other.close();
    expect((await waiting[1]) as unknown).toMatchObject({ trouble: 'closed' });
    await expect(judged(other, {})).rejects.toMatchObject({ trouble: 'closed' });
  });
});
