import type { ServerResponse } from 'node:http';
import { startRecorder, type Recorder } from './recorder.ts';

export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A provider that answers every request with exactly the given bytes. */
export interface RawProvider extends Pick<Recorder, 'url' | 'requests' | 'close'> {
  /** @param before is awaited each time before it answers */
  answer(reply: RawReply, before?: () => Promise<void>): void;
}

export async function createRawProvider(): Promise<RawProvider> {
  let reply: RawReply = { body: '{}' };
  let prepare: (() => Promise<void>) | undefined;
  function give(response: ServerResponse): void {
    const bytes = Buffer.from(reply.body);
    response.writeHead(reply.status ?? 200, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...reply.headers,
    });
    response.end(bytes);
  }
  const recorder = await startRecorder((_request, response) => {
    if (prepare === undefined) give(response);
    else void prepare().then(() => give(response));
  });
  return {
    ...recorder,
    answer(next, before) {
      reply = next;
      prepare = before;
    },
  };
}
