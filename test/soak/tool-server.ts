import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onLoopback } from '../support/loopback.ts';
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
  const { url, close } = await onLoopback(server);
  return { url: `${url}/mcp`, answered, close };
}
