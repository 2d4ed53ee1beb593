import { describe, expect, it } from 'vitest';
import { reachedBy } from '../../../../src/extproc/reply/reached.ts';
import type { At } from '../../../../src/extproc/state.ts';
import type { Run } from '../../../../src/pipeline/run.ts';
import type { Target } from '../../../../src/routing/target.ts';
import { parsed } from '../../../support/exchange.ts';

const of = (model: string) => parsed({ body: { model, messages: [] } });
const [one, two, three] = [of('one'), of('two'), of('three')];
const attempts = [one, two, three].map((exchange) => ({ exchange, upstreamDigest: undefined }));
const state: At<'forwarded'> = {
  at: 'forwarded',
  exchange: one,
  run: {} as Run,
  target: {} as Target,
  attempts,
};

function reached(record: string | undefined, details = 'via_upstream') {
  const headers = new Map(record === undefined ? [] : [['x-gw-tried', record]]);
  const { parsed: by, origin, failure } = reachedBy(state, details, headers);
  return [by.request.model, origin, failure, by.alsoAsked?.map(({ request }) => request.model)];
}

describe('reachedBy, with several targets', () => {
  it.each([
    ['1:answered:200', ['one', 'provider', undefined, undefined]],
    ['1:429:429,2:answered:200', ['two', 'provider', undefined, undefined]],
    ['1:lost:503,2:answered:200', ['two', 'provider', undefined, ['one']]],
    ['1:unsure:502,2:timeout:504,3:5xx:500', ['three', 'provider', undefined, ['one', 'two']]],
    ['1:connect:503,2:connect:503', ['two', 'not_connected', 'upstream_unavailable', undefined]],
    ['1:429:429,2:lost:503', ['two', 'lost', 'upstream_unavailable', undefined]],
    ['1:timeout:504', ['one', 'lost', 'upstream_timeout', undefined]],
  ])('reads %s', (record, expected) => {
    expect(reached(record)).toEqual(expected);
  });

  it('treats an attempt that the record lacks as processed', () => {
    expect(reached('3:answered:200')).toEqual(['three', 'provider', undefined, ['one', 'two']]);
  });

  it.each([undefined, '', 'nonsense', '4:answered:200', '0:answered:200'])(
    'trusts no answer with %s',
    (record) => {
      expect(() => reached(record)).toThrow('unknown target');
    },
  );

  it("believes Envoy's own reply", () => {
    expect(reached('2:answered:200', 'stream_idle_timeout')).toEqual(['one', 'lost', undefined, undefined]);
  });

  it('does not treat a request as unsent because its last attempt had no connection', () => {
    const details = 'upstream_reset_before_response_started{remote_connection_failure}';
    expect(reached(undefined, details)).toEqual(['one', 'lost', undefined, undefined]);
  });
});
