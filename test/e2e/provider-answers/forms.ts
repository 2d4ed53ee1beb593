import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readAccount } from '../../support/account.ts';
import { answer, ask, CALLS, gateways } from './rig.ts';

const SAID = 'hidden-words';
const JSON_BODY = `{"choices":[{"index":0,"message":{"role":"assistant","content":"${SAID}"}}]}`;

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le');
}

/** Answers that no endpoint of a known dialect gives. */
const ODD: readonly [string, string | undefined, string | Buffer][] = [
  ['a picture that holds UTF-16', 'image/png', utf16(SAID)],
  ['a picture that holds JSON', 'image/png', JSON_BODY],
  ['an archive', 'application/octet-stream', gzipSync(SAID)],
  ['an archive under its own name', 'application/gzip', gzipSync(SAID)],
  ['an archive called JSON', 'application/json', gzipSync(SAID)],
  ['records', 'application/json-seq', `\u001e${JSON_BODY}\n\u001e${JSON_BODY}\n`],
  ['records called JSON', 'application/json', `\u001e${JSON_BODY}\n`],
  ['parts', 'multipart/mixed; boundary=b', `--b\r\n\r\n${JSON_BODY}\r\n--b--`],
  ['UTF-7 that says so', 'application/json; charset=utf-7', JSON_BODY],
  ['UTF-16 that says so', 'application/json; charset=utf-16le', utf16(JSON_BODY)],
  ['UTF-16 that does not', 'application/json', utf16(JSON_BODY)],
  ['UTF-32', 'text/plain', Buffer.from([...JSON_BODY].flatMap((char) => [0, 0, 0, char.charCodeAt(0)]))],
  ['EBCDIC', 'application/json; charset=ibm037', JSON_BODY],
  ['an odd parameter', 'application/json; x="charset=utf-16"', JSON_BODY],
  ['UTF-7 without a charset', 'text/plain', `+AHsAIg-${SAID}+ACIAfQ-`],
  ['plain text', 'text/plain', SAID],
  ['no type', undefined, SAID],
  ['two types', 'application/json, image/png', JSON_BODY],
  ['a page', 'text/html', `<p>${SAID}</p>`],
  ['a YAML document', 'application/yaml', `said: ${SAID}`],
  ['a form', 'application/x-www-form-urlencoded', `said=${SAID}`],
  ['lines called JSON', 'application/json', `${JSON_BODY}\n${JSON_BODY}\n`],
  ['JSON with words behind it', 'application/json', `${JSON_BODY} ${SAID}`],
  ['JSON of a variant, cut short', 'application/vnd.api+json', JSON_BODY.slice(0, -3)],
  ['CBOR', 'application/cbor', Buffer.from([0xa1, 0x61, 0x61, 0x61, 0x62])],
  ['sound', 'audio/mpeg', SAID],
  ['script', 'text/javascript', `f(${JSON_BODY})`],
];

/** Endpoints that do not stream. */
const WHOLE_CALLS = Object.keys(CALLS).filter((name) => name !== 'gemini, a stream');

export function forms(): void {
  it.each(ODD)('%s is 502 at every endpoint, and no part of it leaves', async (_what, type, body) => {
    for (const name of WHOLE_CALLS) {
      answer(200, type === undefined ? {} : { 'content-type': type }, body);
      const reply = await ask(name, name === 'openai' ? 'plain' : 'shadow');
      expect([name, reply.status]).toEqual([name, 502]);
      expect(JSON.parse(reply.body)).toMatchObject({ type: 'upstream_unavailable' });
      const hidden = reply.body.replaceAll('\0', '');
      expect(hidden).not.toContain(SAID);
    }
  });

  it('invalid UTF-8 becomes U+FFFD, since some readers take the bytes for other letters', async () => {
    const overlong = Buffer.from(JSON_BODY.replace(SAID, 'ann.lee\xc1\x80example.org'), 'latin1');
    for (const name of WHOLE_CALLS) {
      answer(200, { 'content-type': 'application/json' }, overlong);
      const reply = await ask(name);
      expect([name, reply.body]).toEqual([name, JSON_BODY.replace(SAID, 'ann.lee\ufffd\ufffdexample.org')]);
      // Bytes forwarded unchanged would read the same here, and would be fewer.
      expect([name, Number(reply.headers['content-length'])]).toEqual([name, Buffer.byteLength(reply.body)]);
    }
  });

  it('costs its reservation, since its usage is unknown', async () => {
    const { rawKey, keyHash } = await gateways.plain.createKey({}, { monthly: 1 });
    for (const [at, body] of [JSON_BODY, SAID].entries()) {
      answer(200, { 'content-type': at === 0 ? 'image/png' : 'application/json' }, body);
      expect((await ask('openai', 'plain', { rawKey })).status).toBe(502);
      const spent = (at + 1) * 100 * 1_000;
      await expect.poll(() => readAccount(gateways.plain.redis, keyHash)).toEqual({ spent, reserved: 0 });
    }
  });

  it.each([
    ['JSON', 'application/json', JSON_BODY],
    ['JSON of a variant', 'application/vnd.api+json', JSON_BODY],
    ['JSON in capitals, with a charset', 'Application/JSON; charset=UTF-8', JSON_BODY],
    ['JSON that says it is text', 'text/plain', JSON_BODY],
    ['JSON that says nothing', undefined, JSON_BODY],
    ['numbers that JSON does not have', 'application/json', `{"choices":[],"p":NaN,"q":-Infinity}`],
    ['nothing', 'application/json', ''],
  ])('%s passes', async (_what, type, body) => {
    answer(200, type === undefined ? {} : { 'content-type': type }, body);
    const reply = await ask('openai');
    const sent = body.replace('NaN', 'null').replace('-Infinity', 'null');
    expect([reply.status, reply.body]).toEqual([200, sent]);
  });

  it.each([
    ['a page', 502, 'text/html; charset=utf-8', '<h1>502 Bad Gateway</h1>'],
    ['plain text', 503, 'text/plain', 'upstream connect error'],
    ['JSON', 429, 'application/json', '{"error":{"message":"slow down"}}'],
    ['no type', 404, undefined, 'no such model'],
    ['XML', 403, 'application/xml', '<Error><Code>AccessDenied</Code></Error>'],
  ])('an error as %s passes with its status', async (_what, status, type, body) => {
    answer(status, type === undefined ? {} : { 'content-type': type }, body);
    const reply = await ask('openai');
    expect([reply.status, reply.body]).toEqual([status, body]);
  });

  it.each([
    ['a picture', 'image/png', SAID],
    ['an archive', 'application/octet-stream', gzipSync(SAID)],
    ['UTF-16', 'text/plain', utf16(SAID)],
    ['UTF-7', 'text/plain; charset=utf-7', SAID],
    ['Latin-1', 'text/plain', Buffer.from([0x68, 0xe9])],
  ])('an error as %s is refused', async (_what, type, body) => {
    answer(500, { 'content-type': type }, body);
    const reply = await ask('openai');
    expect(reply.status).toBe(502);
    expect(reply.body).not.toContain(SAID);
  });

  it('a stream at an endpoint that never streams is refused', async () => {
    answer(200, { 'content-type': 'text/event-stream' }, `data: ${SAID}\n\n`);
    for (const name of ['openai models', 'openai embeddings']) {
      const reply = await ask(name);
      expect([reply.status, reply.body.includes(SAID)]).toEqual([502, false]);
    }
  });
}
