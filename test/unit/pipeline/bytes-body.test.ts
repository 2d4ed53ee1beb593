import { describe, expect, it } from 'vitest';
import { encodesProxyKey } from '../../../src/pipeline/bytes-body.ts';

const KEY = `gw-${'aB3_-x'.repeat(7)}Z`;

describe('a proxy key in another encoding is found', () => {
  const percent = (text: string): string =>
    text.replaceAll(/[^0-9]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const writings: readonly (readonly [string, Buffer])[] = [
    ['percent-encoded', Buffer.from(`key=${percent(KEY)}&x=%`)],
    ['with one letter percent-encoded', Buffer.from(`key=%67${KEY.slice(1)}`)],
    ['percent-encoded twice', Buffer.from(percent(percent(KEY)))],
    ['percent-encoded three times', Buffer.from(percent(percent(percent(KEY))))],
    ['in little-endian UTF-16', Buffer.from(`the key: ${KEY}`, 'utf16le')],
    ['in big-endian UTF-16', Buffer.from(`the key: ${KEY}.`, 'utf16le').swap16()],
    ...['', 'x', 'xy', 'xyz'].flatMap((before) =>
      (['base64', 'base64url'] as const).map(
        (alphabet) =>
          [
            `in ${alphabet} after "${before}"`,
            Buffer.from(Buffer.from(`${before}${KEY}!`).toString(alphabet)),
          ] as const,
      ),
    ),
  ];

  it.each(writings)('%s', (_what, body) => {
    expect(encodesProxyKey(body, KEY)).toBe(true);
  });

  it.each([
    ['another key', Buffer.from(`gw-${'A'.repeat(43)} %67%77- %`)],
    ['an incomplete percent escape', Buffer.from(`%6${KEY.slice(0, 20)} %zz %`)],
    ['nothing', Buffer.alloc(0)],
  ])('but %s does not', (_what, body) => {
    expect(encodesProxyKey(body, KEY)).toBe(false);
  });

  it('in 2 MiB of percent signs quickly', () => {
    const body = Buffer.from('%25'.repeat(700_000));
    const before = process.cpuUsage();
    expect(encodesProxyKey(body, KEY)).toBe(false);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(200);
  });
});
