import type * as z from 'zod';
import { Refused, REQUEST_MS } from './grant.ts';

export const MAX_ANSWER_BYTES = 262_144;

interface Asking {
  readonly method?: 'GET' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the text of an answer. @throws Refused for another status than 2xx, and for a large answer */
export async function askText(url: URL, { method = 'GET', headers }: Asking): Promise<string> {
  const signal = AbortSignal.timeout(REQUEST_MS);
  // A redirect would take the headers elsewhere.
  const reply = await boundedFetch(url.href, { method, headers, signal, redirect: 'manual' });
  if (!reply.ok) throw new Refused(`${url.host} answered ${String(reply.status)}`);
  return reply.text();
}

/** Returns an answer of JSON. @throws Refused for another one; quotes nothing of it */
export async function askJson<Schema extends z.ZodType>(
  url: URL,
  schema: Schema,
  asking: Asking,
): Promise<z.infer<Schema>> {
  const read = schema.safeParse(parsed(await askText(url, asking)));
  if (!read.success) throw new Refused(`${url.host} sent no credential`);
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type FetchOptions = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'redirect'>;

/** Fetches an answer with its whole body. @throws Refused if it is larger than 256 KiB */
export async function boundedFetch(url: string, options: FetchOptions): Promise<Response> {
  const { status, headers, body } = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Refused('an answer of more than 256 KiB');
    chunks.push(chunk);
  }
  return new Response(body === null ? null : Buffer.concat(chunks), { status, headers });
}
