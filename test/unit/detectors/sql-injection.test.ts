import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findSqlInjection } from '../../../src/detectors/sql-injection.ts';

const rulesIn = (text: string): string[] => findSqlInjection(text).map((finding) => finding.rule);

const PAYLOADS: readonly (readonly [rule: string, text: string])[] = [
  ['tautology', 'x OR 1=1--'],
  ['tautology', "bob' or 'a'='a"],
  ['quote_break', "') or ('7'='7'--"],
  ['tautology', '1 or 1=1'],
  ['tautology', "' having 4=4--"],
  ['tautology', "search for name: bob' or '1'='1"],
  ['quote_break', '" or ""="'],
  ['comment_cut', "admin'--"],
  ['comment_cut', "root' #"],
  ['comment_cut', "1' ORDER BY 10--+"],
  ['union_select', "' UNION SELECT name, pass FROM users--"],
  ['union_select', '-1 UNION SELECT 1,2,3'],
  ['union_select', "' UnIoN/**/SeLeCt 1,2--"],
  ['union_select', '7 UNION ALL SELECT table_name FROM information_schema.tables'],
  ['time_based', '1 AND SLEEP(5)'],
  ['time_based', '1||pg_sleep(3)'],
  ['time_based', "id=5) waitfor delay '0:0:9'--"],
  ['stacked_query', "id=5;waitfor delay '0:0:9'--"],
  ['time_based', '1 or benchmark(5000000,md5(1))'],
  ['error_based', '5 and extractvalue(1,concat(0x7e,version()))'],
  ['blind', '1 AND (SELECT 1 FROM dual)=1'],
  ['stacked_query', '1; DROP TABLE users'],
  ['stacked_query', "x'; DELETE FROM students; --"],
  ['command_execution', "; exec xp_cmdshell('dir')"],
  ['file_access', "' into outfile '/var/www/x.php'"],
];

const HARMLESS = [
  'Write me a SELECT with a JOIN on users and orders',
  'SELECT name FROM users WHERE id = 1',
  'SELECT a FROM t UNION SELECT b FROM u',
  "SELECT * FROM t WHERE a='x' AND b='y' ORDER BY 1;",
  'SELECT * FROM a WHERE id IN (SELECT id FROM b) AND (SELECT count(*) FROM c) > 0',
  'How does UNION SELECT differ from JOIN?',
  "DELETE FROM logs; INSERT INTO logs VALUES ('a');",
  'CREATE TABLE a (id int); DROP TABLE b;',
  'What is SQL injection and how do I prevent it?',
  'time.sleep(5)',
  'from time import sleep\nsleep(5)  # wait a bit',
  'await sleep(1000); // wait',
  'select pg_sleep(1);',
  'if (x == 1 || y == 1) return;',
  "x = 'abc'  # comment",
  "app.get('/*', handler)",
  "print('a') or print('b')",
  "const a = b || '';",
  "Don't worry -- it's fine",
  "rock 'n' roll or 'blues' -- your choice",
  'exit 1; exec "$@"',
  'the union selected a new leader',
];

describe('SQL injection', () => {
  test.each(PAYLOADS)('%s is found: %s', (rule, text) => {
    expect(rulesIn(text)).toContain(rule);
  });

  test.each(HARMLESS)('ordinary SQL, code and prose are left alone: %j', (text) => {
    expect(findSqlInjection(text)).toEqual([]);
  });

  test('a finding spans the payload', () => {
    expect(findSqlInjection('user=x or 1=1 limit 3')).toEqual([
      { detector: 'sql_injection', class: 'sqli', rule: 'tautology', start: 7, end: 13 },
    ]);
  });

  test('prose on other lines does not hide a payload, and spans lie within the text', () => {
    const lines = fc.array(fc.constantFrom('Hello there.', "It's late", '', 'ends with a "quote"', '€ 5'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(lines, fc.constantFrom(...PAYLOADS), lines, (before, [, payload], after) => {
        const text = [...before, payload, ...after].join('\n');
        const found = findSqlInjection(text);
        expect(found).not.toEqual([]);
        for (const { start, end } of found) expect(text.slice(start, end)).toHaveLength(end - start);
      }),
    );
  });

  test('no text makes it throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(findSqlInjection(text))));
  });
});
