import { isObject } from '../json/is-object.ts';
import type { DemoReply, DemoRequest } from './answer.ts';

export const MCP_PATH = '/mcp';
export const MCP_PATH_AT_GATEWAY = '/mcp/demo';

const TOOLS = [
  {
    name: 'read_file',
    description: 'Reads a file of the demo project.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'delete_file',
    description: 'Deletes a file of the demo project.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

/** Serves MCP without sessions. The tools touch no file. */
export function mcpReply({ method, path, body }: DemoRequest): DemoReply | undefined {
  if (method !== 'POST' || path !== MCP_PATH) return undefined;
  const { id = null } = body;
  return { kind: 'whole', body: { jsonrpc: '2.0', id, ...outcome(body['method'], body['params']) } };
}

function outcome(method: unknown, params: unknown): object {
  const members = isObject(params) ? params : {};
  if (method === 'initialize') {
    const serverInfo = { name: 'demo', version: '1' };
    const protocolVersion = members['protocolVersion'] ?? '2025-11-25';
    return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools: TOOLS } };
  if (method !== 'tools/call') return { error: { code: -32601, message: 'method not found' } };
  const text = `The demo server received ${JSON.stringify(members['arguments'] ?? {})}`;
  return { result: { content: [{ type: 'text', text }] } };
}
