import { describe, expect, it } from 'vitest';
import { createEnvoyLines } from '../../../src/telemetry/envoy-lines.ts';

const ID = '0b729df4-c777-4c3b-bdfb-7619fce8c707';

/** Envoy's line, with names in alphabetical order. */
function accessLine(details: string | null, id: string | null, method = 'POST'): string {
  const said = {
    answer_id: id ?? ID,
    details,
    error_type: null,
    flags: '-',
    id,
    in: 0,
    method,
    ms: 2,
    out: 83,
  };
  return JSON.stringify({ ...said, protocol: 'HTTP/1.1', status: 400, time: 'now', upstream: null });
}

function passed(lines: readonly string[]): readonly string[] {
  const written: string[] = [];
  const told: number[] = [];
  const envoy = createEnvoyLines({
    maxPerMinute: 2,
    now: () => 600_000,
    write: (line) => written.push(line),
    onUnlogged: (requests) => told.push(requests),
  });
  for (const line of lines) envoy.take(line, 'stdout');
  envoy.flush();
  expect(told).toEqual(written.length === lines.length ? [] : [lines.length - written.length]);
  return written;
}

describe("lines of Envoy's access log", () => {
  it.each<[string, string]>([
    ['of a malformed request', accessLine('http1.codec_error', null)],
    ['of a request without a host', accessLine('missing_host_header', null)],
    ['of a client that disconnected within the headers', accessLine(null, null)],
    ['of an upgrade request', accessLine('upgrade_failed', ID)],
  ])('%s are bounded, and the rest is counted', (_name, line) => {
    expect(passed(Array.from({ length: 10 }, () => line))).toEqual([line, line]);
  });

  it.each<[string, string]>([
    ['of a request that was forwarded', accessLine('via_upstream', ID)],
    ['of a refusal by the sidecar', accessLine('gw', ID)],
    ['of a body that is too large', accessLine('request_payload_too_large', ID)],
    ['of a body that is malformed', accessLine('http1.codec_error', ID)],
    ['of a method that looks like a line without an id', accessLine('gw', ID, '","flags":"-","id":null')],
    ["of Envoy's log", '{"level":"warning","time":"now","name":"envoy.main","msg":"upgrade_failed"}'],
    ['of text that is not JSON', 'Envoy says something'],
  ])('all %s are written', (_name, line) => {
    expect(passed(Array.from({ length: 10 }, () => line))).toHaveLength(10);
  });
});
