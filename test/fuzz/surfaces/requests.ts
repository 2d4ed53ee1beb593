import fc from 'fast-check';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../support/charsets.ts';
import { filled, leavesOf, type SweptRow } from '../../support/turn-sweep/places.ts';
import { SWEPT_ROWS } from '../../support/turn-sweep/rows.ts';
import { disguised, disguises } from '../disguises.ts';
import { openEdge } from '../edge.ts';
import { mutated, mutations } from '../mutations.ts';
import { leakIn, PLANTED } from '../planted.ts';
import type { Surface } from '../surface.ts';
import { around, leafOf, nearby } from '../words.ts';

/** Bodies of every endpoint with a planted value, disguised and mutated: DLP masks it, or the request is refused. */
const cases = fc.record({
  row: fc.constantFrom(...SWEPT_ROWS.keys()),
  leaf: fc.nat(999),
  planted: fc.constantFrom(...PLANTED.keys()),
  before: nearby,
  after: nearby,
  disguise: disguises,
  changes: mutations(3),
  parameters: fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom(...READABLE_PARAMETERS, ...UNREADABLE_PARAMETERS) },
  ),
});

export const requests: Surface<FuzzedRequest> = {
  cases,
  async open() {
    const edge = await openEdge();
    return {
      async run(request) {
        const row = SWEPT_ROWS[request.row] as SweptRow;
        const planted = PLANTED[request.planted] ?? '';
        const text = JSON.stringify(around(request.before, planted, request.after));
        const json = filled(row.body, leafOf(leavesOf(row.body), request.leaf), text).toString();
        const body = mutated(disguised(json, request.disguise), request.changes);
        const { forwarded } = await edge.exchange({
          path: `/${row.provider}${row.path}${row.query === undefined ? '' : `?${row.query}`}`,
          headers: { 'content-type': `application/json${request.parameters}` },
          body,
        });
        return () => {
          edge.assertSound();
          const leak = forwarded && leakIn(forwarded, planted);
          if (leak !== undefined)
            throw new Error(`the provider reads what was planted: ${JSON.stringify(leak)}`);
        };
      },
      close: () => edge.close(),
    };
  },
};

type FuzzedRequest = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
