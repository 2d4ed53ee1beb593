import { describe, expect, it } from 'vitest';
import { folder, policyJson, put, useRig } from './rig.ts';

useRig();

async function warningsOf(text: string): Promise<string[]> {
  put('a.rego', `package gateway.policy\n\n${text}\n`);
  const { code, json } = await policyJson(['check', '--policy-dir', folder]);
  expect(code).toBe(0);
  return (json as { warnings: string[] }).warnings.map((one) => one.replace(`${folder}/`, ''));
}

describe('policy check warns of Rego v0 that never fires', () => {
  it.each([
    [
      'a misspelled member',
      'deny[msg] {\n  input.request.modle == "m"\n  msg := "x"\n}',
      'a.rego:4: input.request.modle is never',
    ],
    ['in one line', 'deny["x"] { input.requets.model == "m" }', 'a.rego:3: input.requets is never'],
    [
      'in a helper with a value',
      'deny["x"] { is_bad == "y" }\n\nis_bad = "y" {\n  input.session.stat == "A"\n}',
      'a.rego:6: input.session.stat',
    ],
    [
      'in a function',
      'deny["x"] { is_bad(input.request) }\n\nis_bad(r) {\n  input.sesion.state == "A"\n}',
      'a.rego:6: input.sesion',
    ],
    [
      'in a second rule body',
      'deny["x"] { ok }\n\nok {\n  input.session.state == "INIT"\n} {\n  input.session.stat == "A"\n}',
      'a.rego:8: input.session.stat ',
    ],
    [
      'after else',
      'deny["x"] { n == 2 }\n\nn = 1 {\n  input.session.state == "INIT"\n} else = 2 {\n  input.session.stat == "A"\n}',
      'a.rego:8: input.session.stat ',
    ],
    [
      'an impossible method',
      'deny["x"] { input.request.method == "POST" }',
      'a.rego:3: input.request.method is never "POST"',
    ],
    [
      'a rule that nothing reads',
      'denied[msg] { msg := "x" }\n\ndeny["y"] { input.request.model == "m" }',
      'a.rego:3: rule denied is never read',
    ],
  ])('%s', async (_what, text, begin) => {
    expect(await warningsOf(text)).toEqual([expect.stringContaining(begin)]);
  });

  it.each([
    'bad := {"m", "n"}\n\nlimits = {"m": 1}\n\ndeny[msg] {\n  bad[input.request.model]\n  limits[input.request.model]\n  msg := "x"\n}',
    'deny[msg] {\n  is_bad\n  msg := "x"\n}\n\nis_bad {\n  input.request.model == "m"\n}',
    'default ok = false\n\nok = true {\n  input.session.state == "INIT"\n}\n\ndeny["x"] { not ok }',
  ])('and ignores rules that can fire: %s', async (text) => {
    expect(await warningsOf(text)).toEqual([]);
  });

  it('reports nothing about rules in an unreadable file', async () => {
    expect(
      await warningsOf(
        '  deny[msg] {\n    is_bad\n    msg := "x"\n  }\n\n  is_bad {\n    input.request.model == "m"\n  }',
      ),
    ).toEqual([]);
  });
});
