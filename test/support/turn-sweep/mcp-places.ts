import type { SweptAnswer } from './edge-call.ts';
import { MCP_SERVER } from './edge-services.ts';
import {
  AGAIN,
  ANSWER,
  CHUNK_BYTES,
  filled,
  FRAME,
  leavesOf,
  listsAround,
  repeated,
  REQUEST,
  scaled,
  type Place,
} from './places.ts';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 'x' } } };
export const MCP_REQUESTS: readonly unknown[] = [
  { ...CALL, params: { ...CALL.params, _meta: { progressToken: 'x' } } },
  { jsonrpc: '2.0', id: 'x', method: 'resources/read', params: { uri: 'file:///x' } },
  { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'x', arguments: { a: 'x' } } },
  { jsonrpc: '2.0', method: 'notifications/x', params: { x: 'x' } },
  { jsonrpc: '2.0', id: 1, result: { role: 'assistant', content: { type: 'text', text: 'x' } } },
  { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
];
export const MCP_ANSWERS: readonly unknown[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'x' }], structuredContent: { a: 'x' }, _meta: { b: 'x' } },
  },
  {
    jsonrpc: '2.0',
    id: 1,
    result: { contents: [{ uri: 'file:///x', mimeType: 'text/plain', blob: 'eA==' }] },
  },
  {
    jsonrpc: '2.0',
    id: 1,
    result: {
      tools: [
        {
          name: 'echo',
          title: 'x',
          description: 'x',
          inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'x' } } },
          annotations: { title: 'x' },
        },
      ],
    },
  },
  { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x', data: 'x' } },
  { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
];

/** Every place of messages to an MCP server and from it, whole and as events. */
export function mcpPlaces(): readonly Place[] {
  const path = `/mcp/${MCP_SERVER}`;
  const call = Buffer.from(JSON.stringify(CALL));
  const listTools = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }));
  return [
    ...MCP_REQUESTS.flatMap((message, at) =>
      leavesOf(message).map((leaf): Place => ({
        name: `mcp message ${String(at)} ${leaf}`,
        side: 'request',
        exchange: (shape, scale) => ({
          path,
          body: filled(message, leaf, shape.json(scaled(REQUEST, scale))),
        }),
      })),
    ),
    ...MCP_ANSWERS.flatMap((message, at) =>
      leavesOf(message).flatMap((leaf): readonly Place[] => {
        const body = at === 2 ? listTools : call;
        const json = 'application/json';
        return [
          {
            name: `mcp answer ${String(at)} ${leaf}`,
            side: 'answer',
            exchange: (shape, scale) => ({
              path,
              body,
              answer: { contentType: json, body: filled(message, leaf, shape.json(scaled(ANSWER, scale))) },
            }),
          },
          {
            name: `mcp answer ${String(at)} ${leaf} at which the inspector does not stop`,
            side: 'answer',
            exchange: (shape, scale) => ({
              path,
              body,
              answer: { contentType: json, body: filled(message, leaf, shape.json(scaled(FRAME, scale))) },
            }),
          },
          {
            name: `mcp event ${String(at)} ${leaf}`,
            side: 'stream',
            exchange: (shape, scale) => ({
              path,
              body,
              answer: eventOf(filled(message, leaf, shape.json(scaled(FRAME, scale)))),
            }),
          },
        ];
      }),
    ),
    ...MCP_ANSWERS.flatMap((message, at) =>
      listsAround(message).flatMap((list): readonly Place[] => {
        const body = at === 2 ? listTools : call;
        const json = 'application/json';
        return [
          {
            name: `mcp answer ${String(at)} ${list.name}`,
            side: 'answer',
            only: AGAIN,
            exchange: (shape, scale) => ({
              path,
              body,
              answer: { contentType: json, body: repeated(message, list, scaled(FRAME, scale), shape) },
            }),
          },
          {
            name: `mcp event ${String(at)} ${list.name}`,
            side: 'stream',
            only: AGAIN,
            exchange: (shape, scale) => ({
              path,
              body,
              answer: eventOf(repeated(message, list, scaled(FRAME, scale), shape)),
            }),
          },
        ];
      }),
    ),
  ];
}

function eventOf(message: Buffer): SweptAnswer {
  return {
    contentType: 'text/event-stream',
    body: Buffer.concat([Buffer.from('event: message\ndata: '), message, Buffer.from('\n\n')]),
    chunkBytes: CHUNK_BYTES,
  };
}
