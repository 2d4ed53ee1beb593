import * as z from 'zod';

const allowedHost = z.string().regex(/^\.?(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/, {
  error: 'must be a host name in lower case (example.com), or .example.com for all its subdomains',
});

export const remoteContentSettings = {
  remote_content: z
    .union([z.enum(['deny', 'allow']), z.array(allowedHost)])
    .optional()
    .describe(
      'Content that a provider fetches from a URL in the request, which no check can read: refuse it, allow it, or allow listed hosts. Default: refused if policies or `server.dlp.requests` read prompts.',
    ),
};

export type RemoteContent = 'deny' | 'allow' | readonly string[];
