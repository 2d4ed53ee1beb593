import * as z from 'zod';

const allowedHost = z.string().regex(/^\.?(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/, {
  error: 'must be a host name in lower case (example.com), or .example.com for all hosts below it',
});

/** Keys of `proxy` (docs/remote-content.md). */
export const remoteContentSettings = {
  /**
   * Content that a provider fetches by an address in the request. Unset: denied while a rule of policies or
   * `server.dlp.requests` reads prompts. A list: these hosts alone.
   */
  remote_content: z.union([z.enum(['deny', 'allow']), z.array(allowedHost)]).optional(),
};

export type RemoteContent = 'deny' | 'allow' | readonly string[];
