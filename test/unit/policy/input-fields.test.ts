import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { POLICIES_PAGE, policiesPage } from '../../../build-docs.ts';
import { readCallJson } from '../../../src/policy/call-from-json.ts';
import { fieldOf } from '../../../src/policy/cards/fields.ts';
import { deadRego } from '../../../src/policy/dead-rego.ts';
import { FIELD_GROUPS, type FieldRow } from '../../../src/policy/input-fields.ts';
import { NO_ROLE_TRUSTED } from '../../../src/policy/trust.ts';

interface Member extends FieldRow {
  readonly group: string;
  readonly name: string;
  readonly card: string | undefined;
}

const MEMBERS: readonly Member[] = FIELD_GROUPS.flatMap(({ path, rows, cards }) =>
  Object.entries(rows).map(([name, row]) => {
    const card = cards === undefined || row.notInCards === true ? undefined : cards + name;
    return { ...row, group: path, name, card };
  }),
);

/** A value that the member does not have by default. */
function sampleOf({ form, type, name }: Member): unknown {
  if (form === 'list') return ['one', 'two'];
  if (form === 'map') return name === 'tags' ? { x: 'red' } : { x: true };
  return [`a ${name}`, 0.5, true].find((value) => type.safeParse(value).success);
}

/** A policy input with one member, of a call that can have it. */
function callWith(member: Member): string {
  const { group, name } = member;
  const method = name === 'model' ? 'llm_call' : 'mcp_tool_call';
  const request = { method, ...(method === 'mcp_tool_call' && { tool_name: 'any' }) };
  const value = group.split('.').reduceRight<object>((inner, step) => ({ [step]: inner }), {
    ...(group === 'request' && request),
    [name]: sampleOf(member),
  });
  return JSON.stringify({ request, ...value });
}

describe('a row of a policy field', () => {
  it.each(MEMBERS.filter(({ card, name }) => card !== undefined && name !== 'arguments'))(
    'is read by cards as $card',
    async (member) => {
      const { call } = await readCallJson(callWith(member), 'the input', NO_ROLE_TRUSTED);
      const isMap = member.form === 'map';
      const field = fieldOf(`${member.card ?? ''}${isMap ? '.x' : ''}`, 'INIT');
      if (field.kind !== 'value') throw new Error('no value');
      const sample = sampleOf(member);
      expect(sample).toBeDefined();
      expect(field.read(call)).toEqual(isMap ? (sample as { x: unknown }).x : sample);
      expect(field.isList).toBe(member.form === 'list');
    },
  );

  it.each(MEMBERS)('is suggested for a misspelled $group.$name', async ({ group, name }) => {
    const wrong = `${name.slice(0, -1)}_${name.slice(-1)}`;
    const value = group.split('.').reduceRight<object>((inner, step) => ({ [step]: inner }), {
      ...(group === 'request' && { method: name === 'model' ? 'llm_call' : 'mcp_other' }),
      [wrong]: 1,
    });
    const call = JSON.stringify({ request: { method: 'llm_call' }, ...value });
    await expect(readCallJson(call, 'the input', NO_ROLE_TRUSTED)).rejects.toThrow(
      `${wrong} is not a member of a policy input; did you mean ${name}?`,
    );
  });

  it('is readable by Rego, unlike other names', async () => {
    const reading = MEMBERS.map(({ group, name }) => `deny contains "x" if input.${group}.${name}`);
    const text = `package gateway.policy\n\n${reading.join('\n')}\n`;
    const facts = { rules: [], inputs: [] };
    expect(await deadRego([{ name: 'a.rego', text }], facts, new Set())).toEqual([]);
    const wrong = `${text}deny contains "x" if input.action.injection_scores\n`;
    expect(await deadRego([{ name: 'a.rego', text: wrong }], facts, new Set())).toEqual([
      expect.stringContaining('did you mean input.action.injection_score?'),
    ]);
  });

  it('is in docs/policies.md, as `npm run docs` writes it', async () => {
    const page = readFileSync(POLICIES_PAGE, 'utf8');
    expect(page).toBe(await policiesPage());
    for (const { group, name } of MEMBERS)
      expect(page).toMatch(new RegExp(`\`input\\.${group}\\.${name}(\\.x)?\``));
  });
});
