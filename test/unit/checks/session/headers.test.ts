import { describe, expect, it } from 'vitest';
import { sessionRequest } from '../../../../src/checks/session/headers.ts';

function read(written: { readonly id?: string; readonly budget?: string; readonly steps?: string }) {
  const headers = new Map<string, string>();
  if (written.id !== undefined) headers.set('x-gateway-session-id', written.id);
  if (written.budget !== undefined) headers.set('x-gateway-session-budget', written.budget);
  if (written.steps !== undefined) headers.set('x-gateway-session-max-steps', written.steps);
  return sessionRequest(headers);
}

describe('session headers', () => {
  it('name no session if they are absent', () => {
    expect(read({})).toBeUndefined();
  });

  it.each(['a', 'x'.repeat(128), 'Run_7.a:b-c', '0'])('take the id %j', (id) => {
    expect(read({ id })).toEqual({ sessionId: id, maxSteps: undefined, budgetNanoUsd: undefined });
  });

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', 'a,b', 'one, one', 'ä', 'a\n', '{a}', 'a\u0000', '%41'])(
    'refuse the id %j',
    (id) => {
      expect(read({ id })).toMatchObject({
        kind: 'deny',
        type: 'invalid_request',
        message: expect.stringContaining('X-Gateway-Session-ID'),
      });
    },
  );

  it.each([
    ['0', 0],
    ['0.5', 500_000_000],
    ['.5', 500_000_000],
    ['5.', 5_000_000_000],
    ['007', 7_000_000_000],
    ['0.30000000000000004', 300_000_000],
    ['0.000000001', 1],
    ['0.0000000001', 0],
    ['9000000', 9_000_000_000_000_000],
    ['9000000.0', 9_000_000_000_000_000],
  ])('take a budget of %s USD', (budget, budgetNanoUsd) => {
    expect(read({ id: 'a', budget })).toMatchObject({ budgetNanoUsd });
  });

  it.each([
    '',
    '-1',
    '+1',
    '1e3',
    '9000000.01',
    '9000001',
    '0x10',
    'NaN',
    'Infinity',
    '1,5',
    '1, 2',
    '1 ',
    '$1',
    '.',
    '1.2.3',
    '٣',
    '1'.repeat(33),
    '9'.repeat(2_000_000),
  ])('refuse the budget %.20j', (budget) => {
    expect(read({ id: 'a', budget })).toMatchObject({
      kind: 'deny',
      type: 'invalid_request',
      message: expect.stringContaining('X-Gateway-Session-Budget'),
    });
  });

  it.each([
    ['0', 0],
    ['10', 10],
    ['0010', 10],
    ['1000000000', 1_000_000_000],
  ])('take at most %s steps', (steps, maxSteps) => {
    expect(read({ id: 'a', steps })).toMatchObject({ maxSteps });
  });

  it.each(['', '-1', '1.0', '1e3', '1000000001', '99999999999', '10, 10', ' 1', 'ten', '0x1'])(
    'refuse at most %j steps',
    (steps) => {
      expect(read({ id: 'a', steps })).toMatchObject({
        kind: 'deny',
        type: 'invalid_request',
        message: expect.stringContaining('X-Gateway-Session-Max-Steps'),
      });
    },
  );

  it.each([
    [{ budget: '5' }, 'X-Gateway-Session-Budget'],
    [{ steps: '5' }, 'X-Gateway-Session-Max-Steps'],
  ])('with limits but no id are refused: %j', (written, named) => {
    expect(read(written)).toMatchObject({
      kind: 'deny',
      type: 'invalid_request',
      message: `${named} has no effect without a session: also send X-Gateway-Session-ID`,
    });
  });
});
