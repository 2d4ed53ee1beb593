import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../detectors/secrets/samples.ts';
import { answered, AWS_KEY, dlp, EMAIL, judgeAnswer } from './rig.ts';

describe('a binary answer', () => {
  const random = seededRandom(11);
  const noise = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

  it('is masked in its text, in place', async () => {
    const around = (words: string): Buffer =>
      Buffer.concat([
        Buffer.from('ID3\0\0'),
        noise(500),
        Buffer.from([0]),
        Buffer.from(words),
        Buffer.from([0]),
        noise(500),
      ]);
    const seed = around('');
    const body = Buffer.from(seed);
    const words = Buffer.from(`Written by ${EMAIL} for a friend`);
    const at = 506;
    const withWords = Buffer.concat([body.subarray(0, at), words, body.subarray(at)]);
    const judged = await judgeAnswer(dlp(), answered({ body: withWords, contentType: 'audio/mpeg' }));
    const expected = Buffer.from(withWords);
    expected.fill('*', at + 'Written by '.length, at + 'Written by '.length + EMAIL.length);
    expect(judged.bytes).toEqual(expected);
  });

  it('is withheld if it contains a secret', async () => {
    const body = Buffer.concat([noise(300), Buffer.from(`\0key=${AWS_KEY}\0`), noise(300)]);
    const { verdict } = await judgeAnswer(dlp(), answered({ body, contentType: 'image/png' }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('is read as text if its content is text', async () => {
    const { body } = await judgeAnswer(
      dlp(),
      answered({ body: `邮箱 ${EMAIL} 电话`, contentType: 'video/mp4' }),
    );
    expect(body).toBe('邮箱 *** 电话');
  });
});
