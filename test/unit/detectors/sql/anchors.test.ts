import fc from 'fast-check';
import { expect, test } from 'vitest';

import { nextSqlAnchor, findSqlInjection } from '../../../../src/detectors/sql/sql-injection.ts';
import { UnitReader } from '../../../../src/text/units.ts';
import { LOOKBACK } from '../../../../src/detectors/sql/context.ts';
import { SQL_RULES } from '../../../../src/detectors/sql/sql-rules.ts';

/** Every start of a word, and every sign that may begin a rule. */
const PLACE = /\b(?=[a-z_])|(?=[|&;/'"])/gi;

/** All rules at all places. */
function findEverywhere(text: string): readonly unknown[] {
  const found: unknown[] = [];
  PLACE.lastIndex = 0;
  while (PLACE.test(text)) {
    const start = PLACE.lastIndex;
    const finding = SQL_RULES.map(({ rule, pattern, confirm }) => {
      pattern.lastIndex = start;
      if (!pattern.test(text)) return undefined;
      const end = pattern.lastIndex;
      const before = text.slice(Math.max(0, start - LOOKBACK), start);
      const isConfirmed = confirm?.(before, text.slice(start, end)) ?? true;
      return isConfirmed ? { detector: 'sql_injection', class: 'sqli', rule, start, end } : undefined;
    }).find((one) => one !== undefined);
    if (finding !== undefined) found.push(finding);
    PLACE.lastIndex = finding?.end ?? start + 1;
  }
  return found;
}

const PIECES = [
  ...['or', 'and', 'xor', 'having', 'not', 'like', 'select', 'union', 'all', 'from', 'into', 'outfile', 'by'],
  ...'order group when if exec execute xp_cmdshell sleep pg_sleep waitfor delay'.split(' '),
  ...'true false null exists ascii substring elt cast char convert int drop'.split(' '),
  ...['table', 'x', 'a.b', 'name', '1', '0', '12', '7', '=', '<>', '>', '!=', '<=>', '(', ')', "'", '"', ';'],
  ...'-- # /* */ /**/ %20 %0a %00 + || && | & - , . @'.split(' '),
  ...['-- '],
  ...'_ ORDER Or AND copy program $'.split(' '),
  ...[' ', '  ', '\n', '\t', '        ', 'é', 'ſ', '\u0130'],
];

/** At least one of each kind of rule. */
const PAYLOADS = [
  ...['x OR 1=1--', "bob' or 'a'='a", "') or ('7'='7'--", "' having 4=4--", 'a or name=name', 'when (1=1)'],
  ...[
    "admin'--",
    "root' #",
    "1' ORDER BY 10--+",
    'or true -- ',
    '" or ""="',
    "' || (select 1)",
    'and not null#',
  ],
  ...[
    "' UNION SELECT name, pass FROM users--",
    '-1 UNION SELECT 1,2,3',
    '/*!50000union*/ select 1',
    '1 xor 2>1 #',
  ],
  ...[
    '1 AND SLEEP(5)',
    '1||pg_sleep(3)',
    "5) waitfor delay '0:0:9'--",
    'if(1=1,sleep(3))',
    'benchmark(500000,',
  ],
  ...[
    'and extractvalue(1,concat(0x7e,1))',
    'and 1=cast((select',
    'convert(int,(select',
    'char(1)+char(2)+char(3)',
  ],
  ...[
    '1 AND (SELECT 1)',
    'or exists(select 1',
    'and 1 in (select',
    'or elt(1=1',
    "' and substring(x)=1",
    'rlike(select',
  ],
  ...['1; DROP TABLE users', "x'; DELETE FROM students; --", "exec xp_cmdshell('dir')", "exec('a'+'b')"],
  ...[
    "' into outfile '/var/www/x.php'",
    "copy x to program 'sh'",
    "load_file('/etc')",
    'procedure analyse(',
    'a&&1=1',
  ],
].map((payload) => payload.match(/\w+|\s|[^]/g) ?? []);

/** Payloads, unchanged or with other pieces in them, mixed with each other and with prose. */
const payload = fc.tuple(
  fc.constantFrom(...PAYLOADS),
  fc.array(fc.tuple(fc.nat(20), fc.nat(1), fc.constantFrom(...PIECES)), { maxLength: 2 }),
  fc.constantFrom(' ', ' ', '/**/', '  ', '+', '%20', '\n'),
);
const text = fc
  .array(
    fc.oneof(
      payload.map(([pieces, changes, blank]) => {
        const changed = pieces.map((piece) => (piece === ' ' ? blank : piece));
        for (const [at, taken, piece] of changes) changed.splice(at % changed.length, taken, piece);
        return changed.join('');
      }),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
    ),
    { maxLength: 5 },
  )
  .chain((parts) => fc.constantFrom(parts.join(' '), parts.join('\n'), parts.join('')));

test('the choice of places where payloads may begin loses no payload', () => {
  let payloads = 0;
  fc.assert(
    fc.property(text, (given) => {
      const found = findEverywhere(given);
      payloads += found.length;
      expect(findSqlInjection(given)).toEqual(found);
    }),
    { numRuns: 20_000, seed: 5 },
  );
  expect(payloads).toBeGreaterThan(1_000);
});

test.each([
  ['a word and another', "You and me or her, when it's so (or not so) and well-known.", [19, 33]],
  ['an operand after it', 'me or 1=1', [3]],
  ['a sign behind a word', 'me or name=name', [3]],
  ['half a sign', 'a | b & c', []],
  ['a part of a word', 'for standing unions xunion', []],
])('%s', (_name, given, places) => {
  const found: number[] = [];
  const units = new UnitReader(100).read(given);
  for (let at = 0; (at = nextSqlAnchor(given, units, at)) < given.length; at += 1) found.push(at);
  expect(found).toEqual(places);
});
