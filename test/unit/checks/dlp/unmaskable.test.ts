import { describe, expect, it } from 'vitest';
import { dlp, EMAIL, judgeRequest, parsed } from './rig.ts';

const user = (content: unknown): Record<string, unknown> => ({ messages: [{ role: 'user', content }] });

describe('a finding in a request that cannot be masked', () => {
  it.each([
    [
      'Anthropic',
      'anthropic' as const,
      '/v1/messages',
      (text: string) => ({ type: 'thinking', thinking: text, signature: 'c2ln' }),
    ],
    [
      'Bedrock',
      'bedrock' as const,
      '/model/anthropic.claude-sonnet-4-5/converse',
      (text: string) => ({ reasoningContent: { reasoningText: { text, signature: 'c2ln' } } }),
    ],
  ])('removes the whole of a signed text: %s', async (_name, provider, path, thought) => {
    const body = (text: string): Record<string, unknown> => ({
      messages: [{ role: 'assistant', content: [thought(text)] }],
    });
    const exchange = parsed({ provider, path, body: body(`I mail ${EMAIL} first.`) });
    const { body: sent } = await judgeRequest(dlp({ requests: 'mask' }), exchange);
    expect(JSON.parse(sent ?? '')).toMatchObject(body(''));
  });

  describe('request_unmaskable: report', () => {
    const base64 = Buffer.from(`mail ${EMAIL}`).toString('base64');
    const file = { type: 'file', file: { file_data: `data:text/plain;base64,${base64}` } };
    const rig = () => dlp({ requests: 'mask', request_unmaskable: 'report' });

    it.each([
      ['a member name', { metadata: { [EMAIL]: 'x' } }],
      ['a file in Base64', user([file])],
    ])('passes in %s, and is reported', async (_place, body) => {
      const reporting = rig();
      const { verdict, body: sent } = await judgeRequest(reporting, parsed({ body }));
      expect(verdict).toEqual({
        kind: 'flag',
        reason: 'left in the request, because it cannot be masked: email (email_address)',
      });
      expect(reporting.classes).toEqual([{ class: 'email', side: 'request', action: 'report' }]);
      expect(JSON.parse(sent ?? '')).toMatchObject(body);
    });

    it('still masks the other findings', async () => {
      const content = [{ type: 'text', text: `I am ${EMAIL}` }, file];
      const { verdict, body } = await judgeRequest(rig(), parsed({ body: user(content) }));
      expect(verdict).toMatchObject({
        kind: 'rewrite',
        reason:
          'masked in the request: email (email_address); left, because it cannot be masked: email (email_address)',
      });
      expect(JSON.parse(body ?? '')).toMatchObject(user([{ type: 'text', text: 'I am ***' }, file]));
    });

    it('still denies findings outside the conversation', async () => {
      const { verdict } = await judgeRequest(rig(), parsed({ body: { ...user([file]), model: EMAIL } }));
      expect(verdict).toMatchObject({ kind: 'deny', type: 'policy_denied' });
    });

    it('still denies with requests: deny', async () => {
      const denying = dlp({ requests: 'deny', request_unmaskable: 'report' });
      const { verdict } = await judgeRequest(denying, parsed({ body: user([file]) }));
      expect(verdict).toMatchObject({ kind: 'deny' });
    });
  });
});
