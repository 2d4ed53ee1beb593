import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, policy, policyJson, put, CARD, REGO, useRig } from './rig.ts';

useRig();

describe('gateway policy check', () => {
  it('shows what would be loaded, and the current mode', async () => {
    const card = put('card.yaml', CARD);
    const rego = put('a.rego', REGO);
    put('a_test.rego', 'no rego at all');
    const { code, json } = await policyJson(['check', '--policy-dir', folder, '--presets', 'pci,pci']);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      valid: true,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      default_action: { action: 'allow', why: expect.stringContaining('no allow rule') },
      can_allow: false,
      reads_prompt: true,
      reads_drift: false,
      initial_state: 'IDLE',
      warnings: ['preset pci is given twice and loaded once'],
    });
    expect((json as { files: { rules: string[] }[] }).files).toEqual([
      {
        file: card,
        kind: 'card',
        rules: ['write-needs-begin', 'no-drop', 'leak', 'touched'],
        has_states: true,
      },
      {
        file: 'preset pci',
        kind: 'preset',
        rules: expect.arrayContaining(['block-card']),
        has_states: false,
      },
      { file: rego, kind: 'rego', rules: ['deny'], has_states: false },
    ]);
  });

  it('accepts a card with states only, and warns about an empty one', async () => {
    put('states.yaml', CARD.slice(0, CARD.indexOf('rules:')));
    const empty = put('zz.yaml', 'metadata: { name: nothing }\n');
    const { code, json } = await policyJson(['check', '--policy-dir', folder]);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      files: [{ rules: [], has_states: true }, { has_states: false }],
      warnings: [`${empty} has neither rules nor an fsm`],
    });
    expect((await policy(['check', '--policy-dir', folder])).stdout).toContain(
      'states.yaml: 0 rules, states',
    );
  });

  it('reports that calls without an allow are denied if a rule allows', async () => {
    put('a.rego', 'package gateway.policy\nallow if input.session.drift.turn_count < 3\n');
    const { json } = await policyJson(['check', '--policy-dir', folder]);
    expect(json).toMatchObject({ default_action: { action: 'deny' }, can_allow: true, reads_drift: true });
  });

  it('shows every error of cards and Rego together, with file, line, column and the line', async () => {
    const card = put('bad.yaml', 'metadata: { name: x }\nrules:\n  - name: a\n    actoin: deny\n');
    const rego = put('bad.rego', 'package gateway.policy\n\ndeny contains "x" if { nosuch(input) }\n');
    const { code, stdout } = await policy(['check', '--policy-dir', folder]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `${card}:4:5: rules.0.actoin: is not a key here; did you mean action?\n      actoin: deny`,
    );
    expect(stdout).toContain(`${rego}:3:24: `);
    expect(stdout).toContain('  deny contains "x" if { nosuch(input) }');
    const { json } = await policyJson(['check', '--policy-dir', folder]);
    expect(json).toMatchObject({ valid: false, errors: { length: 3 } });
  });

  it('warns about files whose effect differs from what they seem to say', async () => {
    put('gateway.yaml', `policy: { enabled: false, policy_dir: ${folder}/p, default_action: deny }\n`);
    mkdirSync(join(folder, 'p'));
    put('p/a.rego', 'package gateway.policy\ndeny contains "x" if input.agent\n');
    put('p/b.rego', 'package gateway.polices\ndeny contains "x" if input.agent\n');
    const { code, json } = await policyJson(['check', '--config', join(folder, 'gateway.yaml')]);
    expect(code).toBe(0);
    expect((json as { warnings: string[] }).warnings).toEqual([
      'policy.enabled is false: these policies are not in effect',
      'policy.default_action is deny and no rule allows: every call is denied',
      `${folder}/p/b.rego:2: deny is in package gateway.polices, but only gateway.policy is evaluated`,
    ]);
  });

  it('reports that the safety preset is used if nothing is found', async () => {
    const { json } = await policyJson(['check', '--policy-dir', folder]);
    expect(json).toMatchObject({
      files: [{ file: 'preset safety' }],
      warnings: ['no policy was found: the safety preset is used instead'],
    });
  });

  it('refuses missing paths, and unknown presets', async () => {
    const gone = await policy(['check', '--policy-file', join(folder, 'gone.yaml')]);
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining('gone.yaml: does not exist') });
    put('gateway.yaml', `policy: { policy_dir: ${folder}/gone }\n`);
    const written = await policy(['check', '--config', join(folder, 'gateway.yaml')]);
    expect(written).toMatchObject({ code: 1, stdout: expect.stringContaining('gateway.yaml:1:') });
    expect(await policy(['check', '--presets', 'safty'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('gateway policy schema', () => {
  it('prints the JSON Schema of a card', async () => {
    const { code, stdout } = await policy(['schema']);
    expect({ code, schema: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      schema: { type: 'object', properties: { rules: { type: 'array' } } },
    });
  });
});
