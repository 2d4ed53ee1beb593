import * as z from 'zod';
import { circuitBreaker } from '../../checks/mcp-breaker/config.ts';
import { inspector } from '../../checks/mcp-inspector/config.ts';
import { httpUrl, positiveCount, section, type Settings } from '../fields.ts';

/** The full URL of a server: requests use its path and query. Credentials belong in `headers`. */
const serverUrl = httpUrl.refine(
  (written) => {
    if (!URL.canParse(written)) return true; // reported by httpUrl
    const url = new URL(written);
    return url.username === '' && url.password === '' && !written.includes('#');
  },
  { error: 'must be a URL without user, password or fragment (put credentials into headers)' },
);

/** The form that browsers send, because origins are compared exactly. */
const origin = z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._:[\]-]+$/, {
  error: 'must be an origin as browsers send it, such as https://app.example: lower case, no path',
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
  /** Sent with every request to this server, including its credential. */
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), headerValue).default({}),
  /** Names of headers and URL parameters whose values are not credentials. Answers may repeat them. */
  public: z.array(z.string().min(1)).default([]),
  /** Inspector rules whose findings are harmless on this server. */
  suppress: z.array(z.string().min(1)).default([]),
  /** Action for a tool whose definition changed since it was first seen. */
  pin: z.enum(['off', 'warn', 'block']).default('warn'),
});

/** MCP servers behind the gateway (docs/mcp.md). */
export const mcpSection = section({
  enabled: z.boolean().default(false),
  max_request_size: positiveCount.max(15 * 1_048_576).default(1_048_576),
  /** Allowed values of `Origin`. Requests without one pass. */
  allowed_origins: z.array(origin).default([]),
  /** Methods outside the MCP specification. Misspelt methods of the specification are always refused. */
  unknown_methods: z.enum(['deny', 'allow']).default('deny'),
  servers: z.array(mcpServer).default([]),
  circuit_breaker: circuitBreaker,
  inspector,
}).prefault({});

export type McpConfig = Settings<typeof mcpSection>;
