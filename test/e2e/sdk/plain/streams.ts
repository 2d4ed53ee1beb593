import { beforeAll, describe, expect, it, vi } from 'vitest';
import { TEXT, type SdkRig } from '../../../support/sdk-rig.ts';
import { SDK_STREAMS } from '../../../support/sdk-streams.ts';

/** Properties of streams in every dialect and framing, as each SDK sees them; path auth throughout. */
const KEY = 'key-0123456789';

/** Reads the whole stream; `onText` gets each non-empty piece. */
async function reading(pieces: AsyncIterable<string>, onText: (piece: string) => void): Promise<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (piece !== '') onText(piece);
  }
  return text;
}

/** This many pieces contain text in every dialect, and not yet all of it. */
const HALF_WAY = 6;

/** Distinguishes simultaneous streams. */
const promptOf = (name: string): string => `I am ${name}.`;

export function streams(rig: SdkRig): void {
  it.each(SDK_STREAMS)(
    '$name: arrives piece by piece, while the provider is still writing',
    async ({ provider, text }) => {
      const access = await rig.access(provider, 'path', KEY);
      let goOn = (): void => undefined;
      const until = new Promise<void>((resolve) => (goOn = resolve));
      rig.provider.behave({ text: TEXT, holdStream: { afterPieces: HALF_WAY, until } });
      expect(await reading(text(access, 'hello'), goOn)).toBe(TEXT);
    },
  );

  // In parallel: Envoy takes a second to close an HTTP/1.1 connection whose answer broke off.
  describe('if the provider breaks off', () => {
    // A reset overtakes data in transit, so the provider breaks off only after the client has read something.
    const hasRead = new Map(
      SDK_STREAMS.map(({ name }) => [promptOf(name), Promise.withResolvers<undefined>()]),
    );
    beforeAll(() => {
      rig.provider.behave(({ body }) => {
        const [, read] = [...hasRead].find(([prompt]) => body.includes(prompt)) ?? [];
        return {
          text: TEXT,
          holdStream: {
            afterPieces: HALF_WAY,
            until: read?.promise ?? Promise.reject(new Error('unknown prompt')),
          },
          breakOff: { at: HALF_WAY, how: 'reset' },
        };
      });
    });
    it.concurrent.each(SDK_STREAMS)(
      '$name: fails, and charges the visible part',
      async ({ name, provider, text }) => {
        const access = await rig.access(provider, 'path', KEY);
        const prompt = promptOf(name);
        let seen = '';
        const read = reading(text(access, prompt), (piece) => {
          seen += piece;
          hasRead.get(prompt)?.resolve(undefined);
        });
        await expect(read).rejects.toThrow();
        expect(TEXT.startsWith(seen) && seen !== '' && seen !== TEXT).toBe(true);
        expect((await rig.spentUsd(access)) > 0).toBe(provider !== 'ollama');
      },
    );
  });

  describe('if the client disconnects', () => {
    beforeAll(() => {
      // The provider continues only once the client is gone, however late that is.
      const until = new Promise<void>(() => undefined);
      rig.provider.behave({ text: TEXT, holdStream: { afterPieces: HALF_WAY, until } });
    });
    it.concurrent.each(SDK_STREAMS)(
      '$name: releases the provider, and charges the visible part',
      async ({ name, provider, text }) => {
        const access = await rig.access(provider, 'path', KEY);
        const prompt = promptOf(name);
        const abort = new AbortController();
        // Some SDKs raise an error then, others just end.
        await reading(text(access, prompt, abort.signal), () => abort.abort()).catch(() => undefined);
        const request = rig.provider.requests.find(({ body }) => body.includes(prompt));
        await vi.waitFor(() => expect(request?.clientGone).toBe(true), { timeout: 30_000 });
        expect((await rig.spentUsd(access)) > 0).toBe(provider !== 'ollama');
      },
    );
  });

  it('are not mixed up with each other, nor with other requests', async () => {
    rig.provider.behave((request) => {
      const [, number = '?'] = /request (\d+)/.exec(request.body.toString()) ?? [];
      return { text: `answer ${number} `.repeat(10), pieceDelayMs: Number(number) % 4 };
    });
    const jobs = Array.from({ length: 5 }, () => SDK_STREAMS).flat();
    const answers = await Promise.all(
      jobs.map(async ({ provider, text }, index) =>
        reading(text(await rig.access(provider, 'path', KEY), `request ${index}`), () => undefined),
      ),
    );
    expect(answers).toEqual(jobs.map((_, index) => `answer ${index} `.repeat(10)));
  });
}
