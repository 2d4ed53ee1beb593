import { describe, expect, it } from 'vitest';
import { decodeRequest } from '../../../../src/extproc/wire/decode-request.ts';
import { encodedBytes, encodeResponse } from '../../../../src/extproc/wire/encode-response.ts';
import type { HeaderMutation, PhaseName, ProcessingResponse } from '../../../../src/extproc/wire/messages.ts';
import { loadServices } from '../../../support/ext-proc-client.ts';
import { createRandom } from '../../../support/random.ts';

/** Against proto-loader, which reads and writes the same messages by the .proto files. */

const ROUNDS = 500;
const { requestSerialize, responseDeserialize } = loadServices().processor.service['Process'] as unknown as {
  requestSerialize(message: object): Buffer;
  responseDeserialize(bytes: Buffer): Record<string, unknown>;
};

const random = createRandom(110);
const upTo = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => upTo(256)));
const text = (): string => pick(['', 'x', 'a-b', 'é€😀', 'long '.repeat(upTo(60)), String(upTo(1e9))]);
const many = <T>(limit: number, make: () => T): T[] => Array.from({ length: upTo(limit) }, make);
const size = (): number => pick([0, 1, 127, 128, upTo(4_096), 4_095, 4_096, 20_000]);

const PHASES: readonly PhaseName[] = [
  'request_headers',
  'response_headers',
  'request_body',
  'response_body',
  'request_trailers',
  'response_trailers',
];
const FILTER = 'envoy.filters.http.ext_proc';

it('reads random messages of every phase as written by proto-loader', () => {
  for (let round = 0; round < ROUNDS; round++) {
    const phase = pick(PHASES);
    const end = random() < 0.5;
    const headers = many(30, () => ({ key: text(), raw_value: bytes(upTo(200)), value: text() }));
    const texts = Object.fromEntries(many(4, () => [text(), text()] as const));
    const attributes = {
      ...(random() < 0.3 && {
        'another.filter': { fields: { 'source.address': { stringValue: 'not this' } } },
      }),
      [FILTER]: {
        fields: {
          ...Object.fromEntries(Object.entries(texts).map(([name, stringValue]) => [name, { stringValue }])),
          'response.flags': { numberValue: random() },
          deep: { structValue: { fields: { deeper: { stringValue: 'no' } } } },
          list: { listValue: { values: [{ stringValue: 'no' }, { nullValue: 0 }] } },
        },
      },
    };
    const body = bytes(size());
    const content = phase.endsWith('body')
      ? { body, end_of_stream: end }
      : phase.endsWith('trailers')
        ? { trailers: { headers } }
        : { headers: { headers }, end_of_stream: end };
    const config = { request_body_mode: 2, send_body_without_waiting_for_header_response: true };
    const written = requestSerialize({ [phase]: content, attributes, protocol_config: config });
    // Within a larger buffer, as received from the network.
    const around = Buffer.concat([bytes(7), written, bytes(9)]);
    const read = decodeRequest(around, 7, 7 + written.length);
    expect(read.phase).toBe(phase);
    expect(Object.fromEntries(read.attributes)).toEqual(texts);
    if (phase.endsWith('body')) expect(read.body.equals(body)).toBe(true);
    else {
      expect(read.headers).toEqual(
        headers.map(({ key, raw_value: raw, value }) => [
          key,
          raw.length === 0 ? value : raw.toString('latin1'),
        ]),
      );
    }
    expect(read.endOfStream).toBe(phase.endsWith('trailers') ? false : end);
  }
});

const mutation = (): HeaderMutation => ({
  set_headers: many(12, () => [text(), text()] as const),
  remove_headers: many(5, text),
});

function anyReply(): ProcessingResponse {
  const verdict = pick<ProcessingResponse['verdict']>([
    undefined,
    { req: 'ok' },
    { resp: 'whole' },
    { resp: 'stream', out: upTo(1e12) },
    { req: 'ok', resp: 'whole', out: random() },
  ]);
  const body = bytes(size());
  const response = {
    ...(random() < 0.7 && { header_mutation: mutation() }),
    ...(random() < 0.5 && { clear_route_cache: true }),
    ...pick([
      {},
      { body_mutation: { body } },
      { body_mutation: { streamed_response: { body, end_of_stream: random() < 0.5 } } },
    ]),
  };
  const phase = pick(PHASES);
  return {
    ...(verdict !== undefined && { verdict }),
    ...(random() < 0.3 && {
      mode_override: pick([
        { response_body_mode: 4, response_trailer_mode: 1 },
        {
          response_header_mode: 1,
          request_body_mode: 2,
          response_body_mode: 2,
          request_trailer_mode: 1,
          response_trailer_mode: 2,
        },
      ]),
    }),
    ...(random() < 0.2
      ? { immediate_response: { status: 200 + upTo(400), headers: mutation(), body, details: text() } }
      : phase.endsWith('trailers')
        ? { [phase]: { header_mutation: mutation() } }
        : { [phase]: { response } }),
  };
}

/** Converts to the form of proto-loader, which omits fields with their default value. */
function asLoaded(reply: ProcessingResponse): object {
  const { verdict, immediate_response: immediate, mode_override: mode, ...phases } = reply;
  const fields = {
    ...(verdict?.req !== undefined && { req: { kind: 'stringValue', stringValue: verdict.req } }),
    ...(verdict?.resp !== undefined && { resp: { kind: 'stringValue', stringValue: verdict.resp } }),
    ...(verdict?.out !== undefined && { out: { kind: 'numberValue', numberValue: verdict.out } }),
  };
  const kind = immediate === undefined ? Object.keys(phases)[0] : 'immediate_response';
  return {
    response: kind,
    ...(kind !== undefined &&
      kind in phases && { [kind]: phaseAsLoaded(kind, phases[kind as PhaseName] ?? {}) }),
    ...(immediate !== undefined && {
      immediate_response: {
        status: { code: immediate.status },
        headers: mutationAsLoaded(immediate.headers),
        body: immediate.body,
        details: immediate.details,
      },
    }),
    ...(verdict !== undefined && {
      dynamic_metadata: { fields: { gw: { kind: 'structValue', structValue: { fields } } } },
    }),
    ...(mode !== undefined && { mode_override: mode }),
  };
}

function phaseAsLoaded(kind: string, phase: object): object {
  if (kind.endsWith('trailers')) {
    const { header_mutation: headers } = phase as { header_mutation: HeaderMutation };
    return { header_mutation: mutationAsLoaded(headers) };
  }
  const { response } = phase as { response: NonNullable<ProcessingResponse['request_body']>['response'] };
  const { header_mutation: headers, body_mutation: bodies, clear_route_cache: clear } = response;
  return {
    response: {
      ...(headers !== undefined && { header_mutation: mutationAsLoaded(headers) }),
      ...(clear === true && { clear_route_cache: true }),
      ...(bodies !== undefined && {
        body_mutation:
          bodies.body === undefined
            ? { mutation: 'streamed_response', streamed_response: streamedAsLoaded(bodies.streamed_response) }
            : { mutation: 'body', body: bodies.body },
      }),
    },
  };
}

function streamedAsLoaded(part: { body: Buffer; end_of_stream: boolean } | undefined): object {
  return { body: part?.body, ...(part?.end_of_stream === true && { end_of_stream: true }) };
}

function mutationAsLoaded({ set_headers: set, remove_headers: remove }: HeaderMutation): object {
  return {
    ...(set.length > 0 && {
      set_headers: set.map(([key, value]) => ({
        header: { key, raw_value: Buffer.from(value) },
        append_action: 2,
      })),
    }),
    ...(remove.length > 0 && { remove_headers: remove }),
  };
}

it('writes random replies of every kind that proto-loader can read', () => {
  for (let round = 0; round < ROUNDS; round++) {
    const reply = anyReply();
    const { head, tail } = encodeResponse(reply);
    const whole = encodedBytes({ head, tail });
    expect(whole.length).toBe(head.length + (tail?.length ?? 0));
    expect(responseDeserialize(whole)).toEqual(asLoaded(reply));
  }
});

it('an empty reply is an empty message', () => {
  expect(encodeResponse({})).toEqual({ head: '', tail: undefined });
});

describe('a message that Envoy would not send', () => {
  const read = (hex: string): unknown => decodeRequest(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

  it.each([
    ['a field number of 0', '00 00'],
    ['a tag of more than 32 bits', 'ff ff ff ff ff 7f 00'],
    ['a number of eleven octets', '08 ff ff ff ff ff ff ff ff ff ff 01'],
    ['a length beyond the end of the bytes', '12 05 0a 00'],
    ['a length beyond the end of its message', '12 02 0a 05 00 00 00 00 00'],
    ['a length beyond the largest buffer', '22 ff ff ff ff ff ff ff ff 7f'],
    ['a group', '0b 0c'],
    ['an unknown wire type', '0e'],
    ['an eight-octet number of three octets', '09 00 00 00'],
    ['a four-octet number of three octets', '0d 00 00 00'],
    ['two phases', '12 00 22 00'],
    ['a repeated phase', '22 00 22 00'],
  ])('is refused: %s', (_name, hex) => {
    expect(() => read(hex)).toThrow(/an Envoy message/);
  });

  it.each([
    ['a number', '78 01'],
    ['an eight-octet number', '79 00 00 00 00 00 00 00 00'],
    ['a four-octet number', '7d 00 00 00 00'],
    ['octets', '7a 03 01 02 03'],
    ['a phase that is a number', '10 01'],
  ])('is read without an unknown field of %s', (_name, hex) => {
    expect(read(`${hex} 22 04 0a 02 68 69 ${hex}`)).toMatchObject({
      phase: 'request_body',
      body: Buffer.from('hi'),
    });
    expect(
      read(`22 ${(4 + hex.replaceAll(' ', '').length / 2).toString(16).padStart(2, '0')} 0a 02 68 69 ${hex}`),
    ).toMatchObject({
      body: Buffer.from('hi'),
    });
  });

  it('has no phase if it names an unknown one', () => {
    expect(decodeRequest(Buffer.alloc(0))).toMatchObject({ phase: undefined });
  });

  it('may not have too many headers or attributes', () => {
    const list = Array.from({ length: 4_097 }, () => ({ key: 'a' }));
    const headers = requestSerialize({ request_headers: { headers: { headers: list } } });
    expect(() => decodeRequest(headers)).toThrow(/too many headers/);
    const fields = Object.fromEntries(
      Array.from({ length: 257 }, (_, nth) => [`a${String(nth)}`, { stringValue: '' }]),
    );
    expect(() => decodeRequest(requestSerialize({ attributes: { [FILTER]: { fields } } }))).toThrow(
      /too many attributes/,
    );
  });

  it('is read or refused if it is cut at any octet or any octets are changed', () => {
    const whole = requestSerialize({
      request_headers: { headers: { headers: [{ key: 'a', raw_value: bytes(20) }] }, end_of_stream: true },
      attributes: { [FILTER]: { fields: { x: { stringValue: 'y' } } } },
    });
    for (let round = 0; round < 20_000; round++) {
      const changed = Buffer.from(whole.subarray(0, round < whole.length ? round : undefined));
      for (let times = upTo(4); times > 0; times--) changed[upTo(changed.length)] = upTo(256);
      try {
        decodeRequest(changed);
      } catch (refused) {
        expect(String(refused)).toMatch(/^Error: an Envoy message/);
      }
    }
  });
});

it('requests more time in a separate message', () => {
  for (const [ms, duration] of [
    [1, { seconds: 0, nanos: 1_000_000 }],
    [60_000, { seconds: 60 }],
    [72_500, { seconds: 72, nanos: 500_000_000 }],
    [86_400_000, { seconds: 86_400 }],
  ] as const) {
    const written = encodedBytes(encodeResponse({ override_message_timeout_ms: ms }));
    expect(responseDeserialize(written)).toEqual({ override_message_timeout: duration });
  }
});
