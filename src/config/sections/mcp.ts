import * as z from 'zod';
import { circuitBreaker } from '../../checks/mcp-breaker/config.ts';
import { inspector } from '../../checks/mcp-inspector/config.ts';
import { needsRestart, httpUrl, positiveCount, section, type Settings } from '../fields.ts';

const serverUrl = httpUrl.refine(
  (text) => {
    if (!URL.canParse(text)) return true; // reported by httpUrl
    const url = new URL(text);
    return url.username === '' && url.password === '' && !text.includes('#');
  },
  { error: 'must be a URL without user, password or fragment (put credentials into headers)' },
);

/** An origin as browsers send it, because origins are compared exactly. */
const origin = z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._:[\]-]+$/, {
  error: 'must be an origin as browsers send it, such as https://app.example: lower case, no path',
});

const headerValue = z.string().regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, {
  error: 'must be one line of printable ASCII',
});

const mcpServer = section({
  name: needsRestart(
    z
      .string()
      .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, {
        error: 'must be 1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..',
      })
      .describe('Path segment of the server: clients use `/mcp/<name>`.'),
  ),
  url: needsRestart(
    serverUrl.describe('URL of the server, with its path and query. Credentials go into `headers`.'),
  ),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), headerValue)
    .default({})
    .describe('Headers that the gateway adds to every request to this server, such as its credential.'),
  public: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Names of headers, and of query parameters in `url`, whose values are not credentials, so that the server may repeat them in answers.',
    ),
  suppress: z
    .array(z.string().min(1))
    .default([])
    .describe('Inspector rules to ignore for this server because their findings are known to be harmless.'),
  tool_costs: z
    .record(z.string().min(1).max(256), z.number().min(0).max(1_000_000))
    .default({})
    .describe('USD per call by tool, charged to budgets; `*` stands for all other tools.'),
  pin: z
    .enum(['off', 'warn', 'block'])
    .default('warn')
    .describe(
      'Action if the definition of a tool differs from the first one seen or the last one accepted: nothing, log a warning, or refuse calls.',
    ),
});

export const mcpSection = section({
  enabled: needsRestart(z.boolean().default(false).describe('Serve MCP servers under `/mcp/<name>`.')),
  max_request_size: positiveCount
    .max(15 * 1_048_576)
    .default(1_048_576)
    .describe('Largest MCP request body in bytes; a larger one gets 413.'),
  allowed_origins: z
    .array(origin)
    .default([])
    .describe(
      'Values of the `Origin` header to accept, for clients in browsers. Requests without the header pass.',
    ),
  unknown_methods: z
    .enum(['deny', 'allow'])
    .default('deny')
    .describe('Whether to allow unknown MCP methods. Misspelled names of known methods are always refused.'),
  servers: z.array(mcpServer).default([]).describe('MCP servers that clients may use.'),
  circuit_breaker: circuitBreaker,
  inspector,
})
  .prefault({})
  .describe('MCP servers behind the gateway. See docs/mcp.md.');

export type McpConfig = Settings<typeof mcpSection>;
