import { describe, expect, it } from 'vitest';
import { readTraceContext, traceHeaders } from '../../../src/tracing/request-traces.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}-01`;

describe('W3C trace context', () => {
  it('of a caller is read and forwarded with another span', () => {
    const caller = readTraceContext([
      ['traceparent', PARENT],
      ['tracestate', 'a=1,b=2'],
    ]);
    expect(caller).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
    expect(caller && traceHeaders({ ...caller, spanId: 'b'.repeat(16) })).toEqual([
      ['traceparent', `00-${TRACE}-${'b'.repeat(16)}-01`],
      ['tracestate', 'a=1,b=2'],
    ]);
  });

  it.each([
    ['nothing', []],
    ['no trace id', [`00-${'0'.repeat(32)}-${SPAN}-01`]],
    ['no span id', [`00-${TRACE}-${'0'.repeat(16)}-01`]],
    ['upper-case digits', [PARENT.toUpperCase()]],
    ['the invalid version', [PARENT.replace(/^00/, 'ff')]],
    ['extra text after version 00', [`${PARENT}-and more`]],
    ['too few fields', [PARENT.slice(0, -1)]],
    ['two headers', [PARENT, PARENT]],
    ['another text', ['x'.repeat(100_000)]],
  ])('is ignored if a caller sends %s', (_what, parents) => {
    expect(readTraceContext(parents.map((value) => ['traceparent', value] as const))).toBeUndefined();
  });

  it('of a later version is read up to the known fields', () => {
    const caller = readTraceContext([['traceparent', `01-${TRACE}-${SPAN}-03-more`]]);
    expect(caller).toMatchObject({ traceId: TRACE, traceFlags: 1 });
  });

  it('omits a state that is too long or unreadable', () => {
    for (const state of ['x'.repeat(600), '=', 'a=\u0007']) {
      const caller = readTraceContext([
        ['traceparent', PARENT],
        ['tracestate', state],
      ]);
      expect(caller && traceHeaders(caller)).toEqual([['traceparent', PARENT]]);
    }
  });
});
