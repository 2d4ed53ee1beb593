import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/json/is-object.ts';
import { ATTACK, AWS_KEY, inspector, REMOVED, result } from '../rig.ts';
import { base64 } from './rig.ts';

describe('base64 in an answer', () => {
  const resource = (fields: JsonObject) => result({ contents: [{ uri: 'a://b', ...fields }] });

  it.each(['text/plain', 'image/svg+xml', 'application/json', 'image/png', undefined])(
    'is inspected as text with every declared type: %s',
    async (mimeType) => {
      const type = mimeType === undefined ? {} : { mimeType };
      const { body } = await inspector().whole(resource({ ...type, blob: base64(`The menu. ${ATTACK}.`) }));
      expect(JSON.parse(body)).toEqual(resource({ ...type, blob: base64(`The menu. ${REMOVED}.`) }));
    },
  );

  it.each([
    ['with one broken byte', Buffer.concat([Buffer.from([0xff]), Buffer.from(`The menu. ${ATTACK}.`)])],
    ['UTF-16', Buffer.from(`\uFEFFThe menu. ${ATTACK}.`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\uFEFFThe menu. ${ATTACK}.`, 'utf16le').swap16()],
  ])('of a text with %s is inspected', async (_name, bytes) => {
    const { body } = await inspector().whole(
      resource({ mimeType: 'text/plain', blob: bytes.toString('base64') }),
    );
    const [content] = (JSON.parse(body) as { result: { contents: [{ blob: string }] } }).result.contents;
    expect(Buffer.from(content.blob, 'base64').toString()).toContain(`The menu. ${REMOVED}.`);
  });

  const long = `${'soup '.repeat(150)}${ATTACK}. ${'bread '.repeat(150)}`;

  it.each([
    ['encoded line by line', (text: string) => text.replace(/.{76}/g, '$&\r\n')],
    ['with asterisks that decoders skip', (text: string) => text.replace(/.{3}/g, '$&*')],
    ['with a broken byte and asterisks', (text: string) => `////*${text.replace(/.{5}/g, '$&.')}`],
    ['with an attack in plain text', (text: string) => `${ATTACK} abc, ${text.replace(/.{3}/g, '$&*')}`],
  ])('is inspected as lenient decoders read it: %s', async (_how, write) => {
    const { body } = await inspector().whole(resource({ mimeType: 'text/plain', blob: write(base64(long)) }));
    const [content] = (JSON.parse(body) as { result: { contents: [{ blob: string }] } }).result.contents;
    expect(content.blob).not.toContain(ATTACK);
    const read = Buffer.from(content.blob, 'base64').toString();
    expect(read).toContain(REMOVED);
    expect(read).not.toContain(ATTACK);
  });

  it('of a picture passes, line by line too', async () => {
    const picture = Buffer.alloc(3_400_000, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00])).toString(
      'base64',
    );
    const data = picture.replace(/.{76}/g, '$&\n');
    const said = result({ content: [{ type: 'image', mimeType: 'image/png', data }] });
    expect((await inspector().whole(said)).body).toBe(JSON.stringify(said));
  });

  it('of a picture passes, and does not count towards the length of an answer', async () => {
    const picture = Buffer.alloc(3_400_000, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]));
    const said = result({
      content: [{ type: 'image', mimeType: 'image/png', data: picture.toString('base64') }],
    });
    expect((await inspector().whole(said)).body).toBe(JSON.stringify(said));
  });

  it('in a bytes member that is not base64 is read as text', async () => {
    const { body } = await inspector().whole(
      result({ content: [{ type: 'image', data: ATTACK, mimeType: 'image/png' }] }),
    );
    expect(JSON.parse(body)).toEqual(
      result({ content: [{ type: 'image', data: REMOVED, mimeType: 'image/png' }] }),
    );
  });

  it('whose own characters spell a secret is a secret', async () => {
    const { denial } = await inspector().whole(
      result({ content: [{ type: 'image', data: AWS_KEY, mimeType: 'image/png' }] }),
    );
    expect(denial?.type).toBe('policy_denied');
  });
});
