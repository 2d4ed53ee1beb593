import { describe, expect, it } from 'vitest';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { cardsOf } from '../../../support/policy-cards.ts';

describe('a broken card', () => {
  it.each<[string, string, RegExp]>([
    ['not YAML', 'rules: [', /^bad\.yaml:1:\d+: is not valid YAML/],
    ['a list instead of a card', '- 1', /must be a mapping/],
    [
      'a misspelled key',
      'metadata: {name: c}\nrules:\n  - name: r\n    acton: deny',
      /bad\.yaml:4:5: rules\.0\.acton: is not a key here; did you mean action\?\n {2} {4}acton: deny/,
    ],
    [
      'a misspelled key of a condition',
      one('{field: prompt_text, op: detects, value: injection_learned, treshold: 0.8}'),
      /treshold: is not a key here; did you mean threshold\?/,
    ],
    [
      'a misspelled field',
      one('{field: promt_text, op: contains, value: x}'),
      /rules\.0\.conditions\.0\.field: is not a field; did you mean prompt_text\?/,
    ],
    [
      'an unknown operator',
      one('{field: model, op: like, value: x}'),
      /rules\.0\.conditions\.0\.op: must be one of equals/,
    ],
    [
      'an invalid pattern',
      one('{field: prompt_text, op: matches_regex, value: "(a"}'),
      /conditions\.0\.value: .*\(a/,
    ],
    [
      'a pattern that matches everywhere',
      one('{field: prompt_text, op: matches_regex, value: "a*"}'),
      /matches the empty text/,
    ],
    ['an unknown detector', one('{field: prompt_text, op: detects, value: virus}'), /must be one of secret/],
    [
      'ignore_case with another operator',
      one('{field: model, op: equals, value: x, ignore_case: true}'),
      /conditions\.0\.ignore_case: is for contains only/,
    ],
    [
      'numbers as words',
      one('{field: model, op: contains, value: []}'),
      /needs a string, or a list of strings/,
    ],
    ['an empty word', one('{field: prompt_text, op: contains, value: [x, ""]}'), /contains needs a string/],
    ['a word instead of a number', one('{field: session.spend, op: gt, value: much}'), /gt needs a number/],
    ['a value instead of a list', one('{field: model, op: in, value: x}'), /in needs a list/],
    [
      'a list for a comparison',
      one('{field: session_sequence, op: equals, value: x}'),
      /is a list: use contains/,
    ],
    [
      'a sequence in another field',
      one('{field: model, op: must_precede, value: x}'),
      /must_precede is for session_sequence/,
    ],
    [
      'a trace without a pattern',
      one('{field: session_sequence, op: contains_matching_trace, value: x}'),
      /must be like/,
    ],
    ['two forms in one condition', one('{any: [], field: model}'), /rules\.0\.conditions\.0/],
    [
      'conditions nested too deep',
      one(`${'{not: '.repeat(10)}{field: model, op: exists}${'}'.repeat(10)}`),
      /deeper than 8 levels/,
    ],
    [
      'a taint without a flag',
      'metadata: {name: c}\nrules:\n  - {name: r, action: taint}',
      /taint: must be set in rules with action: taint/,
    ],
    [
      'a mask without conditions',
      'metadata: {name: c}\nrules:\n  - {name: r, action: mask}',
      /mask needs a condition/,
    ],
    [
      'a mask of all arguments',
      one('{field: prompt_text, op: detects, value: path_climb}').replace('action: deny', 'action: mask'),
      /path_climb judges whole texts and cannot mask: use deny/,
    ],
    [
      'a mask of a model’s finding',
      one('{field: prompt_text, op: detects, value: injection_learned}').replace(
        'action: deny',
        'action: mask',
      ),
      /injection_learned judges whole texts and cannot mask: use deny/,
    ],
    [
      'a threshold of a detector that has no scores',
      one('{field: prompt_text, op: detects, value: email, threshold: 0.5}'),
      /threshold is for injection_learned/,
    ],
    [
      'a threshold with another operator',
      one('{field: model, op: equals, value: m, threshold: 0.5}'),
      /threshold is for detects only/,
    ],
    [
      'a threshold above one',
      one('{field: prompt_text, op: detects, value: injection_learned, threshold: 1.5}'),
      /threshold/,
    ],
    [
      'a repeated name',
      'metadata: {name: c}\nrules:\n  - {name: r, action: deny}\n  - {name: r, action: deny}',
      /4:6: rules\.1\.name: is also the name of another/,
    ],
    [
      'a gate with action allow',
      'metadata: {name: c}\nrules:\n  - {name: r, action: allow, conditions: [{field: session_sequence, op: must_precede, value: x}]}',
      /use it under not/,
    ],
    [
      'an empty trigger',
      'metadata: {name: c}\nfsm: {transitions: [{from: a, to: b, trigger: {}}]}',
      /trigger: is empty/,
    ],
    [
      'endless aliases',
      `a: &a [x]\n${Array.from({ length: 20 }, (_, n) => `b${String(n)}: &b${String(n)} [${'*a, '.repeat(20)}]`).join('\n')}`,
      /aliases|is not a key/,
    ],
  ])('%s', (_what, text, message) => {
    expect(() => createCardSet([{ name: 'bad.yaml', text, isPreset: false }])).toThrow(message);
  });

  it('is reported with the problems of other cards, and two cards with states are a problem', () => {
    const fsm = { transitions: [{ from: 'a', to: 'b', trigger: 'x' }] };
    expect(() => cardsOf({ fsm }, { fsm })).toThrow(
      /card-1\.yaml:1:\d+: fsm: a session has only one state, and card-0/,
    );
    expect(() => cardsOf({ rules: 1 }, { rules: 2 })).toThrow(/card-0[^]*card-1/);
  });

  it('with endless nesting is refused without a crash', () => {
    const text = `metadata: {name: c}\nrules: ${'['.repeat(50_000)}`;
    expect(() => createCardSet([{ name: 'bad.yaml', text, isPreset: false }])).toThrow(/bad\.yaml/);
  });

  function one(condition: string): string {
    return `metadata: {name: c}\nrules:\n  - name: r\n    action: deny\n    conditions: [${condition}]\n`;
  }
});
