import * as z from 'zod';

const allowedHost = z.string().regex(/^\.?(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/, {
  error: 'must be a host name in lower case (example.com), or .example.com for all its subdomains',
});

/** Keys of `proxy` (docs/remote-content.md). */
export const remoteContentSettings = {
  /**
   * Content that a provider fetches from an address in the request. Unset: denied while a policy rule or
   * `server.dlp.requests` reads prompts. A list: only these hosts are allowed.
   */
  remote_content: z.union([z.enum(['deny', 'allow']), z.array(allowedHost)]).optional(),
};

export type RemoteContent = 'deny' | 'allow' | readonly string[];
