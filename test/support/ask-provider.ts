import type { TestGateway } from './gateway.ts';
import { send, type Reply, type SendOptions } from './http.ts';

/** Sends JSON as a key's client does, with the provider's own key beside the proxy key; without a body, a GET. */
export function askWith(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  rawKey: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  more: Pick<SendOptions, 'onText'> = {},
): Promise<Reply> {
  return send(baseUrl, {
    method: body === undefined ? 'GET' : 'POST',
    path,
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      ...(body !== undefined && { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...more,
  });
}
