import type { TestGateway } from './gateway.ts';
import { send, type Reply } from './http.ts';

/** Sends a JSON body as a key's client does, with the provider's own key beside the proxy key. */
export function askWith(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  rawKey: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return send(baseUrl, {
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}
