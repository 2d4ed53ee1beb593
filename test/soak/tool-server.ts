import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PLANTED } from './plan.ts';

/** An MCP server of one tool, which says a secret where it is asked for one. */
export interface ToolServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startToolServer(): Promise<ToolServer> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id = null } = JSON.parse(body === '' ? '{}' : body) as { readonly id?: unknown };
      const said = body.includes('secret') ? `It is ${PLANTED}.` : 'Nothing new.';
      const result = { content: [{ type: 'text', text: said }] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/mcp`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
