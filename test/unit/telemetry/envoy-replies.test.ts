import { describe, expect, it } from 'vitest';
import { createEnvoyReplies } from '../../../src/telemetry/envoy-lines.ts';

const ID = '0b729df4-c777-4c3b-bdfb-7619fce8c707';

interface Line {
  readonly details: string | null;
  readonly type: string | null;
  readonly id?: string | null;
  readonly method?: string;
}

/** Envoy's line, with names in alphabetical order. */
function accessLine({ details, type, id = ID, method = 'POST' }: Line): string {
  const said = { answer_id: id, details, error_type: type, flags: '-', id, in: 0, method, ms: 2, out: 83 };
  return JSON.stringify({ ...said, protocol: 'HTTP/1.1', status: 503, time: 'now', upstream: null });
}

function counted(lines: readonly string[]): Readonly<Record<string, number>> {
  const replies = createEnvoyReplies();
  for (const line of lines) replies.take(line);
  return Object.fromEntries([...replies.counts()].filter(([, count]) => count > 0));
}

describe("Envoy's own replies", () => {
  it('start at zero', () => {
    expect(new Set(createEnvoyReplies().counts().values())).toEqual(new Set([0]));
    expect(createEnvoyReplies().counts().has('gateway_unavailable')).toBe(true);
  });

  it('are counted by their type', () => {
    const lines = [
      accessLine({ details: 'ext_proc_error_gRPC_error_14', type: 'gateway_unavailable' }),
      accessLine({ details: 'overload', type: 'gateway_unavailable', id: null }),
      accessLine({ details: 'request_payload_too_large', type: 'payload_too_large' }),
      // The response gate denied an answer.
      accessLine({ details: 'via_upstream', type: 'gateway_unavailable' }),
    ];
    expect(counted(lines)).toEqual({ gateway_unavailable: 3, payload_too_large: 1 });
  });

  it.each<[string, string]>([
    ['a refusal by the sidecar', accessLine({ details: 'gw', type: 'gateway_unavailable' })],
    ['an answer', accessLine({ details: 'via_upstream', type: null })],
    ['a client that disconnected', accessLine({ details: 'downstream_remote_disconnect', type: null })],
    ['an unknown type', accessLine({ details: 'overload', type: 'constructor' })],
    [
      'a method that looks like a reply type',
      accessLine({
        details: null,
        type: null,
        method: '{"answer_id":null,"details":null,"error_type":"not_found"',
      }),
    ],
    ["a line of Envoy's log", '{"level":"warning","msg":"\\"error_type\\":\\"gateway_unavailable\\""}'],
    ['text that is not JSON', 'Envoy says something'],
  ])('do not include %s', (_name, line) => {
    expect(counted([line])).toEqual({});
  });
});
