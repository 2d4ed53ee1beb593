import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { planOf, PLANTED } from './plan.ts';

/** An MCP server with one tool, which returns a secret on request. */
export interface ToolServer {
  readonly url: string;
  /** Numbers of the calls that it answered, each as often as received. */
  readonly answered: readonly number[];
  close(): Promise<void>;
}

export async function startToolServer(): Promise<ToolServer> {
  const answered: number[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id = null } = JSON.parse(body === '' ? '{}' : body) as { readonly id?: unknown };
      const said = body.includes('secret') ? `It is ${PLANTED}.` : 'Nothing new.';
      const result = { content: [{ type: 'text', text: said }] };
      answered.push(planOf(body)?.id ?? 0);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/mcp`,
    answered,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
