import { describe, expect, it } from 'vitest';
import { withoutUnused } from '../../../src/redis/lua-functions.ts';

describe('functions of a script that nothing uses', () => {
  it('are left out, and those that they alone used; lines keep their numbers', () => {
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

  it('are kept where another function, or the end of a script, names them', () => {
    const script =
      'local function one()\n  return 1\nend\nlocal function two()\n  return one\nend\nreturn two';
    expect(withoutUnused(script)).toBe(script);
  });
});
