import { describe, expect, it } from 'vitest';
import { withConstants, withoutUnused } from '../../../src/redis/lua-source.ts';

describe('constants of a script', () => {
  it('replace their names; line numbers stay the same', () => {
    const script = [
      "local WIDTH, LAYOUT, ENTRY = 8, '<dc13', '(%S+) (%d*);'",
      'local HALF, LESS = WIDTH / 2, -1',
      'local at = WIDTH * nth + HALF -- WIDTH',
      "return struct.unpack(LAYOUT, text, at), string.match(text, ENTRY), LESS, 'LAYOUT', MY_WIDTH",
    ].join('\n');
    expect(withConstants(script).split('\n')).toEqual([
      '',
      '',
      'local at = 8 * nth + (8 / 2)',
      "return struct.unpack('<dc13', text, at), string.match(text, '(%S+) (%d*);'), (-1), 'LAYOUT', MY_WIDTH",
    ]);
  });

  it.each([
    'local KEYS, ARGV = KEYS, ARGV',
    'local UNITS = { minute = 60000 }',
    'local MOST = tonumber(ARGV[1])',
    '  local INNER = 1',
    "local ONE, OTHER = 'a'",
    'local small = 1',
  ])('must be literals: %s stays', (line) => {
    expect(withConstants(`${line}\nreturn INNER`)).toBe(`${line}\nreturn INNER`);
  });

  it('have one value each', () => {
    expect(withConstants('local A = 1\nlocal A = 1\nreturn A')).toBe('\n\nreturn 1');
    expect(() => withConstants('local A = 1\nlocal A = 2')).toThrow('A has two values in one script');
  });
});

describe('unused functions of a script', () => {
  it('are removed with the functions that only they use; line numbers stay the same', () => {
    const script = [
      'local function inner(x)',
      '  return x',
      'end',
      'local function again(x)',
      '  return x == 0 and inner(x) or again(x - 1)',
      'end',
      'local function used(x)',
      '  local function own()',
      '    return again_not',
      '  end',
      '  return own()',
      'end',
      'return used(1)',
    ];
    expect(withoutUnused(script.join('\n')).split('\n')).toEqual([...Array(6).fill(''), ...script.slice(6)]);
  });

  it('are kept if another function or the end of the script names them', () => {
    const script =
      'local function one()\n  return 1\nend\nlocal function two()\n  return one\nend\nreturn two';
    expect(withoutUnused(script)).toBe(script);
  });
});
