import type { RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { request as httpRequest } from '../node-http.ts';
import { pinnedAddress } from './address.ts';

export interface Posting {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Time limit for name resolution, connection and response headers together. */
  readonly timeoutMs: number;
}

/**
 * Sends one message to the checked address, without following redirects. Resolves with the HTTP status.
 * @throws ForbiddenAddress, or Error if no answer arrives
 */
export async function postPinned({ url, headers, body, timeoutMs }: Posting): Promise<number> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const pinned = await withDeadline(pinnedAddress(url.hostname), deadline);
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    signal: deadline,
    lookup: (_host, { all }, done) => {
      if (all === true) done(null, [pinned]);
      else done(null, pinned.address, pinned.family);
    },
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'ai-firewall-gateway',
    },
  };
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function withDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(new Error('the host name of alerting.webhook_url was not resolved in time'));
  deadline.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, late]).finally(() => deadline.removeEventListener('abort', onAbort));
}
