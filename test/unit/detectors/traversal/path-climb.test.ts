import { describe, expect, it } from 'vitest';
import { findPathClimb } from '../../../../src/detectors/traversal/path-climb.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

const CLIMBS = [
  '../../../../home/bob/.bashrc',
  String.raw`..\..\x`,
  '../.env',
  '/workspace/../../outside',
  '/workspace/../outside',
  '/workspace/a/b/../../../outside',
  '..',
  '../',
  'a/../..',
  'src/../../test',
  './../x',
  'a/./../.././x',
  ' ../x\n',
  '"../x"',
  String.raw`C:\work\..\..\x`,
  String.raw`C:..\x`,
  '~/../bob/.bashrc',
  '$HOME/../bob',
  '${workspaceFolder}/../x',
  String.raw`%USERPROFILE%\..\bob`,
  'my folder/../../x',
  'My Company Name Inc Files/../../x',
  '..%2fx',
  '%2e%2e/x',
  '%2E%2E%5Cx',
  '..%252f..%252fx',
  '%c0%ae%c0%ae/x',
  '..%c0%afx',
  '\uff0e\uff0e\uff0fx',
  '..\u2215x',
  String.raw`\u002e\u002e\u002fx`,
  '&#46;&#46;&#47;x',
  '....//x',
  '..././x',
  '..;/x',
  '..;a=b/x',
  '..%00/x',
  '.. /x',
  'file:../x',
  'file:///workspace/../../x',
  'file:///workspace/%2e%2e/x',
  'file://localhost/workspace/../x',
  'file://../x',
  'file:///C:/work/../../x',
  'workspace://project/../x',
  'repo:/a/../../b',
  'https://example.com/a/../../b',
  '--file=../../x',
  '@../x',
  'cat ../../../x',
  '../**/*.ts',
];

const STAYS = [
  '.',
  './a/../b',
  'src/../test/x.ts',
  'src/..',
  'src/a/../../x',
  '/workspace/a/../b',
  '/workspace/../workspace/a',
  'file:///workspace/a/../b',
  '~/a/../b',
  'https://example.com/a/../b',
  'https://example.com/a?next=/../..',
  'Wait ... and then ... go on',
  'So .. what/.. now',
  'see ../README.md',
  'Please read the notes in ../../../README.md first',
  '...',
  '.../x',
  './...',
  'src/**/*.ts',
  '**/*..ts',
  'main..dev',
  'origin/main...feature/x',
  'HEAD~2..HEAD',
  '>=1.0.0 <2.0.0',
  '1..2',
  'a../b',
  '..gitignore',
  'x/..hidden/y',
  "import x from '../../../lib'",
  "const lib = require('../../../lib');",
  'export * from "../../../../lib/index.js";',
  '[notes](../../../notes.md)',
  '#include "../../../x.h"',
  '{"extends": "../../../tsconfig.json"}',
  '["../../../a", "../b"]',
  '100%25 off',
  'AT&amp;T',
  String.raw`C:\work\new\x`,
  '',
];

describe('findPathClimb', () => {
  it.each(CLIMBS)('finds a path that leaves its folder: %j', (text) => {
    expect(findPathClimb(text)).toEqual([
      { detector: 'path_climb', class: 'traversal', rule: 'climbs_out', start: 0, end: text.length },
    ]);
  });

  it.each(STAYS)('does not find a path that stays inside, or a text that is not a path: %j', (text) => {
    expect(findPathClimb(text)).toEqual([]);
  });

  it('finds paths up to the limit of the system', () => {
    expect(findPathClimb(`../${'a'.repeat(4_093)}`)).toHaveLength(1);
    expect(findPathClimb(`../${'a'.repeat(4_094)}`)).toEqual([]);
  });

  it.each([
    ['dots', '.'.repeat(4_096)],
    ['steps', 'a/../'.repeat(819)],
    ['open quotes', `a"../`.repeat(819)],
    ['blanks', `${' '.repeat(4_000)}../..`],
    ['percents', '%25'.repeat(1_365)],
    ['backslashes', '\\'.repeat(4_096)],
    ['entities', '&#x0000'.repeat(585)],
    ['parameters', '..;'.repeat(1_365)],
  ])('reads 4,096 characters of %s quickly', async (_name, text) => {
    expect(await quickestCpuMs(() => findPathClimb(text))).toBeLessThan(20);
  });
});
