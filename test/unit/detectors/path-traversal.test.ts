import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findPathTraversal } from '../../../src/detectors/path-traversal.ts';

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
  'import x from "../../helpers/date"',
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
];

describe('path traversal', () => {
  test.each(CLIMBING)('a climb to a sensitive file is found: %s', (text) => {
    expect(findPathTraversal(text)).toHaveLength(1);
  });

  test.each(HARMLESS)('a relative path of code is left alone: %s', (text) => {
    expect(findPathTraversal(text)).toEqual([]);
  });

  test('a finding spans the path from its first step to the file', () => {
    expect(findPathTraversal('cat ../../etc/passwd now')).toEqual([
      { detector: 'path_traversal', class: 'traversal', rule: 'sensitive_target', start: 4, end: 20 },
    ]);
  });

  test('no text makes it throw, and spans lie within the text', () => {
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
