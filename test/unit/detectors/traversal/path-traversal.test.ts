import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findPathTraversal } from '../../../../src/detectors/traversal/path-traversal.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

const CLIMBING = [
  'open ../../etc/passwd',
  String.raw`..\..\windows\win.ini`,
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%252f..%252fetc/shadow',
  '..%c0%af..%c0%afetc/hosts',
  '....//....//etc/passwd',
  '..;/..;/WEB-INF/web.xml',
  '../../.env',
  'cat ../../../home/bob/.ssh/id_rsa',
  '/static/../../../proc/self/environ',
  '../../../root/.bashrc',
  '../../../../var/log/auth.log',
  `${'../'.repeat(300)}etc/passwd`,
  '..%ef%bc%8f..%ef%bc%8fetc/passwd',
  '..%25c0%25af..%25c0%25afetc/hosts',
  '..0x2f..0x2fetc/shadow',
  '..%0d/..%0d/boot.ini',
  '../../config.sys',
  '../../../etc/alpine-release',
  '../../../usr/local/nginx/conf/nginx.conf',
];

const HARMLESS = [
  'import x from "../../../helpers/date"',
  'cd ../..',
  '../env/config',
  'require("../../.env.example")',
  "dotenv.config({ path: '../.env' })",
  'see ../README.md',
  '../../src/etc/index.ts',
  '/etc/passwd',
  'a../b',
  '../sample.ts',
  'Well.../etcetera',
  '../../usr/local/bin/tool',
  '../../var/www/index.html',
  '../../lib/x',
  String.raw`..\..\lib\x`,
  String.raw`"..\\..\\lib\\x"`,
  String.raw`"..\/..\/lib\/x"`,
  '..%2fimg/logo.png',
  'import { open } from "../../../windows/main";',
  "import root from '../../../root';",
  "const rules = require('../../etc/rules');",
  "vi.mock('../../../root/app')",
  '#include "../../boot/config.h"',
  '[install](../../windows/install.md)',
  '../../windows.ts',
  '../../etc-utils/x',
  '../../dev/server.ts',
  '../../proc-macro/src',
  'src/.../lib/.../x',
  'So ..... and ...... / ....',
];

/** Two levels up, disguised to pass filters. */
const DISGUISED = [
  '..%2f..%2fimg/x',
  '%2E%2E%2F%2E%2E%2Fpublic',
  '%2e%2e/%2e%2e/x',
  '.%2e/%2e./x',
  '..%5c..%5cdrafts',
  '%252e%252e%252f%252e%252e%252fa',
  '..%255c..%255ca',
  '%25252525252e%252e/..%2fa',
  '%%32%65%%32%65/%%32%65%%32%65/a',
  '%25%32%65%25%32%65%25%32%66..%25%32%66a',
  '%c0%ae%c0%ae/%c0%ae%c0%ae/x',
  '..%c0%af..%c0%afa',
  '..%c1%9c..%c1%9ca',
  '..%e0%80%af..%e0%80%afa',
  '%f0%80%80%ae%f0%80%80%ae/%f0%80%80%ae%f0%80%80%ae/a',
  '%fc%80%80%80%80%ae%fc%80%80%80%80%ae%fc%80%80%80%80%af..%2fa',
  '%25c0%25ae%25c0%25ae/..%25c0%25afa',
  '%ef%bc%8e%ef%bc%8e%ef%bc%8f..%2fa',
  '%u002e%u002e%u2215%u002e%u002e%u2216a',
  '%uff0e%uff0e/%uff0e%uff0e/a',
  String.raw`\u002e\u002e\u002f\u002e\u002e\u002fa`,
  String.raw`\\u002e\\u002e\\u005c..\\u005ca`,
  String.raw`\u{2e}\u{2e}/../a`,
  String.raw`\x2e\x2e\x2f\x2e\x2e\x2fa`,
  String.raw`\xc0\xae\xc0\xae/\xc0\xae\xc0\xae/a`,
  String.raw`\056\056\057\056\056\057a`,
  '&#46;&#46;&#47;&#46;&#46;&#47;a',
  '&#x2e;&#x2e;&#x2f;&period;&period;&sol;a',
  '..&bsol;..&bsol;a',
  '0x2e0x2e0x2f0x2e0x2e0x2fa',
  '\uff0e\uff0e\uff0f\uff0e\uff0e\uff0fa',
  '..\u2215..\u2044a',
  '\u00c0\u00ae\u00c0\u00ae/\u00c0\u00ae\u00c0\u00ae/a',
  '....//....//drafts',
  String.raw`....\\....\\drafts`,
  '..;/..;/manager/html',
  '..%00/..%00/a',
];

/** Climbs to system folders, with any path in them. */
const TO_THE_SYSTEM = [
  String.raw`..\..\windows`,
  String.raw`"..\\..\\Windows\\"`,
  '../../windows/notes.txt',
  String.raw`..\..\c:\winnt`,
  String.raw`..\..\system32`,
  String.raw`..\..\..\Program Files\app`,
  String.raw`..\..\boot.ini`,
  '../../etc',
  'show ../../etc.',
  '../../etc/anything',
  String.raw`..\/..\/etc\/anything`,
  '..//..//etc',
  '.././.././etc/anything',
  'GET /files?name=../../../root HTTP/1.1',
  '../../proc',
  '../../../../var/log',
  '../../var/backups',
  '../../dev/mem',
  '../../sys/kernel/x',
  '../../boot/grub',
  '..%2fetc',
  '..%5cwindows',
];

describe('path traversal', () => {
  test.each(CLIMBING)('a climb to a sensitive file is found: %s', (text) => {
    expect(findPathTraversal(text)).toHaveLength(1);
  });

  test.each(HARMLESS)('a relative path of code is not found: %s', (text) => {
    expect(findPathTraversal(text)).toEqual([]);
  });

  test.each(DISGUISED)('a disguised climb of two levels to any target is found: %s', (text) => {
    expect(findPathTraversal(text).map(({ rule }) => rule)).toEqual(['encoded_climb']);
  });

  test.each(DISGUISED)('a disguised climb is found in an address and in a sentence: %s', (text) => {
    expect(findPathTraversal(`Please fetch https://a.test/get?file=${text}&x=1 for me.`)).toHaveLength(1);
  });

  test.each(TO_THE_SYSTEM)('a climb to a system folder is found: %s', (text) => {
    expect(findPathTraversal(text)).toHaveLength(1);
  });

  test('a climb ends with its levels, or with the path after them', () => {
    const text = 'open ..%2f..%2fimg/x.png and ../../etc/motd.d/a now';
    expect(findPathTraversal(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      '..%2f..%2fimg/x.png',
      '../../etc/motd',
    ]);
  });

  test.each(['../', '..%2f', '%25', String.raw`\u002e`, '.', '%c0%ae', '&#46;', '0x2e', '..%2f../etc '])(
    'takes linear time for %s over and over',
    (piece) => {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      expect(quickestCpuMs(() => findPathTraversal(text), 1)).toBeLessThan(500);
    },
  );

  test('a finding spans the path from its first step to the file', () => {
    expect(findPathTraversal('cat ../../etc/passwd now')).toEqual([
      { detector: 'path_traversal', class: 'traversal', rule: 'sensitive_target', start: 4, end: 20 },
    ]);
  });

  test('it never throws, and spans lie within the text', () => {
    const piece = fc.constantFrom(
      '../',
      '..',
      '%2e',
      '%2f',
      '/',
      'etc',
      'passwd',
      '\\',
      '.env',
      ' ',
      'x',
      ';',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        for (const { start, end } of findPathTraversal(text))
          expect(text.slice(start, end)).toHaveLength(end - start);
      }),
    );
  });
});
