import { createContext, type StreamContext } from '../../../../src/extproc/context.ts';
import { handle } from '../../../../src/extproc/handle.ts';
import { isDenial, type PhaseReply } from '../../../../src/extproc/reply/respond.ts';
import type { EdgeServices } from '../../../../src/extproc/services.ts';
import { processingRequest, type ProcessingResponse } from '../../../../src/extproc/wire/messages.ts';
import { PASS, type Check, type StreamRewriter } from '../../../../src/pipeline/check.ts';
import type { Answered } from '../../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../../src/pipeline/run.ts';
import type { ProviderName } from '../../../../src/providers/provider.ts';
import type { Target } from '../../../../src/routing/target.ts';
import { parsed } from '../../../support/exchange.ts';

const nothing = (): void => undefined;

export interface Answering {
  readonly context: StreamContext;
  /** What the checks saw at `response`. */
  readonly seen: Answered[];
  headers(headers: Record<string, string>, endOfStream?: boolean): Promise<ProcessingResponse>;
  body(body: Buffer | string): Promise<ProcessingResponse>;
  chunk(body: string, endOfStream?: boolean): Promise<ProcessingResponse>;
  trailers(): Promise<ProcessingResponse[]>;
}

export interface AnsweringOptions {
  readonly response?: (exchange: Answered) => void;
  readonly rewriter?: StreamRewriter;
  readonly provider?: ProviderName;
  readonly path?: string;
  readonly status?: number;
}

export function answering(options: AnsweringOptions = {}): Answering {
  const seen: Answered[] = [];
  const { rewriter, provider = 'openai', path = '/v1/chat/completions', status = 200 } = options;
  const check: Check = {
    name: 'dlp',
    shadowable: true,
    response(exchange) {
      seen.push(exchange);
      options.response?.(exchange);
      return PASS;
    },
    stream: () => rewriter,
  };
  const observer = { verdict: nothing, enforceFailed: nothing, endFailed: nothing };
  const context = createContext({
    settings: { upstreamTimeoutMs: 1_000, stripTelemetry: false, errorFormat: 'gateway', allowedOrigins: [] },
  } as unknown as EdgeServices);
  const exchange = parsed({ provider, path, body: { model: 'm', messages: [], contents: [] } });
  const run = createRunner({ checks: [check], shadowMode: false, observer })();
  context.state = { at: 'forwarded', exchange, run, target: {} as Target };
  const attributes = new Map([['response.code_details', 'via_upstream']]);
  async function told(...message: Parameters<typeof processingRequest>): Promise<ProcessingResponse[]> {
    return repliesOf(await handle(context, processingRequest(...message)));
  }
  async function toldOnce(...message: Parameters<typeof processingRequest>): Promise<ProcessingResponse> {
    const [reply = {}] = await told(...message);
    return reply;
  }
  return {
    context,
    seen,
    headers(headers, endOfStream = false) {
      const list = Object.entries({ ':status': String(status), ...headers });
      return toldOnce('response_headers', { headers: list, endOfStream, attributes });
    },
    body: (body) => toldOnce('response_body', { body: Buffer.from(body), endOfStream: true }),
    chunk: (body, endOfStream = false) => toldOnce('response_body', { body: Buffer.from(body), endOfStream }),
    trailers: () => told('response_trailers', { headers: [['x-t', '']] }),
  };
}

function repliesOf(reply: PhaseReply): ProcessingResponse[] {
  if (isDenial(reply)) throw new Error('an answer was denied');
  return [reply].flat();
}
