import { openStream } from '../../src/answers/open-stream.ts';
import { newAnswer } from '../../src/answers/new-answer.ts';
import { PASS_EVENT, type StreamRewriter } from '../../src/pipeline/check.ts';
import type { Answered } from '../../src/pipeline/exchange.ts';
import type { Endpoint } from '../../src/providers/dialect.ts';
import { type ProviderName, providers } from '../../src/providers/registry.ts';
import type { StreamFormat } from '../../src/streams/frame.ts';
import { contentDetector, rewriterOf } from './dlp-rewriter.ts';

const detector = contentDetector();

export interface JudgedStream {
  readonly format: StreamFormat;
  readonly endpoint: Endpoint;
  readonly status?: number;
  readonly judged?: 'blind' | 'passing';
}

/** The output for a client of a provider's stream that arrives byte by byte. */
export async function sentOf(
  { format, endpoint, status = 200, judged }: JudgedStream,
  bytes: Buffer,
): Promise<Buffer> {
  const exchange = {
    answer: newAnswer(),
    answerHeaders: new Map<string, string>(),
    endpoint,
    status,
    origin: 'provider',
  } as unknown as Answered;
  const rewriters: Record<string, StreamRewriter> = {
    blind: { readsText: false, event: () => PASS_EVENT },
    passing: { event: () => PASS_EVENT },
  };
  const rewriter = (judged && rewriters[judged]) ?? rewriterOf(detector);
  const stream = openStream(exchange, { format, rewriters: [rewriter], stripComments: false });
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const emission = await stream.push(bytes.subarray(at, at + 1));
    out.push(emission.bytes);
    if (emission.cut !== undefined) return Buffer.concat(out);
  }
  out.push((await stream.end()).bytes);
  return Buffer.concat(out);
}

export function endpointOf(provider: ProviderName, path: string, query = ''): Endpoint {
  const endpoint = providers[provider].endpoint('POST', path, query);
  if (endpoint === undefined) throw new Error(`no endpoint ${path}`);
  return endpoint;
}
