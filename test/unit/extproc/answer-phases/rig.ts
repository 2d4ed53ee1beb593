import { createContext, type StreamContext } from '../../../../src/extproc/context.ts';
import { handle } from '../../../../src/extproc/handle.ts';
import { isDenial, type PhaseReply } from '../../../../src/extproc/reply/respond.ts';
import type { EdgeServices } from '../../../../src/extproc/services.ts';
import { processingRequest, type ProcessingResponse } from '../../../../src/extproc/wire/messages.ts';
import { PASS, type Check, type StreamRewriter, type Verdict } from '../../../../src/pipeline/check.ts';
import type { Answered, Parsed } from '../../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../../src/pipeline/run.ts';
import type { Endpoint } from '../../../../src/providers/dialect.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import type { Target } from '../../../../src/routing/target.ts';
import { parsed } from '../../../support/exchange.ts';

const nothing = (): void => undefined;

export interface Answering {
  readonly context: StreamContext;
  /** The exchange that the checks saw at `response`. */
  readonly seen: Answered[];
  headers(headers: Record<string, string>, endOfStream?: boolean): Promise<ProcessingResponse>;
  body(body: Buffer | string): Promise<ProcessingResponse>;
  chunk(body: string, endOfStream?: boolean): Promise<ProcessingResponse>;
  trailers(names?: readonly string[]): Promise<ProcessingResponse[]>;
  /** Reported failures. */
  readonly failures: unknown[];
}

export interface AnsweringOptions {
  /** A verdict, or else it passes. */
  readonly response?: (exchange: Answered) => unknown;
  readonly rewriter?: StreamRewriter;
  readonly provider?: ProviderName;
  readonly path?: string;
  readonly status?: number;
  readonly endpoint?: Endpoint;
  /** An MCP server's answer. */
  readonly mcp?: { readonly server: string };
  readonly stripTelemetry?: boolean;
}

export function answering(options: AnsweringOptions = {}): Answering {
  const seen: Answered[] = [];
  const failures: unknown[] = [];
  const { rewriter, provider = 'openai', path = '/v1/chat/completions', status = 200 } = options;
  const check: Check = {
    name: 'dlp',
    shadowable: true,
    response(exchange) {
      seen.push(exchange);
      const verdict = options.response?.(exchange);
      return isVerdict(verdict) ? verdict : PASS;
    },
    stream: () => rewriter,
  };
  const observer = { verdict: nothing, enforceFailed: nothing, endFailed: nothing };
  const context = createContext({
    observer: { failed: (_id: string, cause: unknown) => failures.push(cause) },
    settings: {
      upstreamTimeoutMs: 1_000,
      stripTelemetry: options.stripTelemetry ?? false,
      errorFormat: 'gateway',
      refusalDetails: 'full',
      allowedOrigins: [],
    },
  } as unknown as EdgeServices);
  const asked = parsed({ provider, path, body: { model: 'm', messages: [], contents: [] } });
  const { endpoint, mcp } = options;
  const exchange: Parsed = {
    ...asked,
    ...(endpoint && { endpoint }),
    ...(mcp && { mcp: { ...mcp, form: 'streamable_http' } }),
  };
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
    failures,
    headers(headers, endOfStream = false) {
      const list = Object.entries({ ':status': String(status), ...headers });
      return toldOnce('response_headers', { headers: list, endOfStream, attributes });
    },
    body: (body) => toldOnce('response_body', { body: Buffer.from(body), endOfStream: true }),
    chunk: (body, endOfStream = false) => toldOnce('response_body', { body: Buffer.from(body), endOfStream }),
    trailers: (names = ['x-t']) => told('response_trailers', { headers: names.map((name) => [name, '']) }),
  };
}

function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function repliesOf(reply: PhaseReply): ProcessingResponse[] {
  if (isDenial(reply)) throw new Error('an answer was denied');
  return [reply].flat();
}
