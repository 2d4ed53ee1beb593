import { PROXY_KEY, type SweptExchange } from './edge-call.ts';
import { MCP_SERVER } from './edge-services.ts';
import type { Place } from './places.ts';
import type { Shape } from './shapes.ts';

/** Envoy accepts 60 KiB of headers per request. */
const HEADER_CHARS = 57_000;

const OF_REQUESTS = [
  'x-api-key',
  'x-gateway-provider-key',
  'x-gateway-session-id',
  'x-gateway-session-budget',
  'x-gateway-session-max-steps',
  'content-type',
  'content-encoding',
  'content-length',
  'origin',
  'user-agent',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-param-a',
];
const OF_ANSWERS = [
  'content-type',
  'content-encoding',
  'content-disposition',
  'location',
  'link',
  'set-cookie',
  'www-authenticate',
  'retry-after',
  'mcp-session-id',
  'x-of-the-provider',
];

const CHAT: SweptExchange = {
  path: '/openai/v1/chat/completions',
  body: Buffer.from('{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hello"}]}'),
};
const CALL: SweptExchange = {
  path: `/mcp/${MCP_SERVER}`,
  body: Buffer.from(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"x"}}}',
  ),
};

/** Every header that some component reads, the path and the query. */
export function headerPlaces(): readonly Place[] {
  return [CHAT, CALL].flatMap((base) => [
    // Without a key in another place, authentication refuses the request.
    place(`${base.path} header authorization`, 'request', (value) => ({
      ...base,
      headers: { authorization: `Bearer ${value}`, 'x-api-key': PROXY_KEY },
    })),
    ...OF_REQUESTS.map((name) =>
      place(`${base.path} header ${name}`, 'request', (value) => ({ ...base, headers: { [name]: value } })),
    ),
    place(`${base.path} path`, 'request', (value) => ({ ...base, path: `${base.path}/${inPath(value)}` })),
    place(`${base.path} query`, 'request', (value) => ({ ...base, path: `${base.path}?a=${inPath(value)}` })),
    ...OF_ANSWERS.map((name) =>
      place(`${base.path} header ${name}`, 'answer', (value) => ({
        ...base,
        answer: {
          contentType: 'application/json',
          headers: { [name]: value },
          body: Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}'),
        },
      })),
    ),
  ]);
}

/** Models that are named in the path. */
export function pathPlaces(): readonly Place[] {
  return [
    place('bedrock model', 'request', (value) => ({
      path: `/bedrock/model/${inPath(value)}/converse`,
      body: Buffer.from('{"messages":[]}'),
    })),
    place('gemini model', 'request', (value) => ({
      path: `/gemini/v1beta/models/${inPath(value)}:generateContent`,
      body: Buffer.from('{"contents":[]}'),
    })),
  ];
}

function place(name: string, side: Place['side'], exchange: (value: string) => SweptExchange): Place {
  return {
    name,
    side,
    exchange(shape) {
      const value = headerText(shape);
      return value === undefined ? undefined : exchange(value);
    },
  };
}

/** Returns the part of a shape that is valid in a header. */
function headerText(shape: Shape): string | undefined {
  if (!shape.isText) return undefined;
  const text = JSON.parse(shape.json({ bytes: HEADER_CHARS, depth: 1, work: 1, textWork: 1 })) as string;
  return [...text]
    .filter((character) => character === '\t' || character >= ' ')
    .join('')
    .slice(0, HEADER_CHARS);
}

function inPath(value: string): string {
  return value.replaceAll(' ', '%20').replaceAll('?', '%3f').replaceAll('#', '%23');
}
