import { describe, expect, it } from 'vitest';
import { answering } from '../extproc/answer-phases/rig.ts';
import { opaque } from '../../../src/providers/dialects/opaque.ts';

/** With any checks. */

const UNKNOWN = { endpoint: { operation: 'unknown', dialect: opaque } } as const;
const REFUSED = { type: 'upstream_unavailable' };
const wide = Buffer.from('words', 'utf16le');

async function given(
  options: Parameters<typeof answering>[0],
  contentType: string | undefined,
  body: string | Buffer,
): Promise<unknown> {
  const answer = answering(options);
  await answer.headers(contentType === undefined ? {} : { 'content-type': contentType });
  return answer.body(body);
}

describe('an error', () => {
  it.each([
    ['text/plain', 'words'],
    ['text/html; charset=utf-8', '<p>words</p>'],
    ['application/xml', '<a/>'],
    ['application/problem+xml', '<a/>'],
    ['application/json', 'no JSON'],
    [undefined, 'words'],
    ['image/png', '{"error":{}}'],
    ['image/png', ''],
  ])('as %s passes: %s', async (type, body) => {
    expect(await given({ status: 500 }, type, body)).toHaveProperty('response_body');
  });

  it.each([
    ['text/plain', wide],
    ['text/plain', Buffer.from([0x68, 0xe9])],
    ['text/plain', 'a\0b'],
    ['image/png', 'words'],
    ['application/xml-dtd', 'words'],
    ['application/x+xmlx', 'words'],
    ['application/json, text/plain', 'words'],
    ['application/json; charset=utf-16', '{"error":{}}'],
    ['text/plain; charset=utf-7', 'words'],
  ])('as %s is refused: %s', async (type, body) => {
    await expect(given({ status: 500 }, type, body)).rejects.toMatchObject(REFUSED);
  });
});

describe('a success', () => {
  it.each([
    'application/json',
    'text/json',
    'application/vnd.a+json',
    'text/plain',
    'application/octet-stream',
    '',
    ' ',
  ])('as %j passes only if it is JSON', async (type) => {
    expect(await given({}, type, '{}')).toHaveProperty('response_body');
    await expect(given({}, type, 'words')).rejects.toMatchObject(REFUSED);
  });

  it.each([
    'application/jsonp',
    'application/json-seq',
    'text/html',
    'image/png',
    'a, b',
    'application/json;charset=utf-7',
  ])('as %j is refused with any body', async (type) => {
    await expect(given({}, type, '{}')).rejects.toMatchObject(REFUSED);
    await expect(given({ status: 204 }, type, '{}')).rejects.toMatchObject(REFUSED);
  });

  it.each(['image/png', 'text/html', 'application/gzip'])(
    'of an unknown endpoint, or of an MCP server, is not judged here: %s',
    async (type) => {
      expect(await given(UNKNOWN, type, wide)).toHaveProperty('response_body');
      expect(await given({ mcp: { server: 'files' } }, type, wide)).toHaveProperty('response_body');
    },
  );
});
