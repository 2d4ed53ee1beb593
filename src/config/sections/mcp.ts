import * as z from 'zod';
import { circuitBreaker } from '../../checks/mcp-breaker/config.ts';
import { inspector } from '../../checks/mcp-inspector/config.ts';
import { httpUrl, positiveCount, section, type Settings } from '../fields.ts';

/** Whole: its path and query are all that a server is asked for. A credential belongs into `headers`. */
const serverUrl = httpUrl.refine(
  (written) => {
    if (!URL.canParse(written)) return true; // said by the rule before
    const url = new URL(written);
    return url.username === '' && url.password === '' && !written.includes('#');
  },
  { error: 'must be a URL without user, password and fragment (credentials go into headers)' },
);

/** As browsers write it, since it is compared letter by letter. */
const origin = z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._:[\]-]+$/, {
  error: 'must be an origin as browsers send it: https://app.example, in lower case and without a path',
});

const headerValue = z.string().regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, {
  error: 'must be one line of visible ASCII',
});

const mcpServer = section({
  /** The path segment: `/mcp/<name>`. */
  name: z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, {
    error: 'must be 1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..',
  }),
  url: serverUrl,
  /** Sent to this server with every request, its own credential among them. */
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), headerValue).default({}),
  /** Names of headers and of parameters of `url` whose values are no credentials: a server may repeat them. */
  public: z.array(z.string().min(1)).default([]),
  /** Inspector rules whose findings are known to be harmless here. */
  suppress: z.array(z.string().min(1)).default([]),
  /** What happens to a tool whose definition has changed since it was first seen. */
  pin: z.enum(['off', 'warn', 'block']).default('warn'),
});

/** MCP servers behind the gateway (docs/mcp.md). */
export const mcpSection = section({
  enabled: z.boolean().default(false),
  max_request_size: positiveCount.max(15 * 1_048_576).default(1_048_576),
  /** Values of `Origin` that are let in; a request without one passes. */
  allowed_origins: z.array(origin).default([]),
  /** Methods that MCP does not define. Another spelling of one that it defines is always refused. */
  unknown_methods: z.enum(['deny', 'allow']).default('deny'),
  servers: z.array(mcpServer).default([]),
  circuit_breaker: circuitBreaker,
  inspector,
}).prefault({});

export type McpConfig = Settings<typeof mcpSection>;
