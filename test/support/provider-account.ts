import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { onLoopback } from './loopback.ts';

type Json = Readonly<Record<string, unknown>>;

/** Sent as a stream. */
export class Events {
  readonly list: readonly Json[];

  constructor(list: readonly Json[]) {
    this.list = list;
  }
}

/** Sent as a file of JSON lines. */
export class Lines {
  readonly text: string;
  readonly type: string;

  constructor(lines: readonly Json[], type = 'application/octet-stream') {
    this.type = type;
    this.text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

/** An account at a provider that keeps what its clients create: responses, files, batches, caches, containers. */
export interface ProviderAccount {
  readonly url: string;
  /** Paths of the requests that arrived. */
  readonly arrived: string[];
  /** Answers wait for it. */
  hold: Promise<unknown>;
  /** Answers every request, if set; a function gets query and path. */
  fixed: unknown;
  /** Answers are compressed, whether the gateway accepts it or not. */
  gzips: boolean;
  close(): Promise<void>;
}

export async function createProviderAccount(): Promise<ProviderAccount> {
  const files: Json[] = [];
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text.startsWith('{') ? (JSON.parse(text) as Json) : {};
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    arrived.push(`${request.method ?? ''} ${path}`);
    await account.hold;
    if (body['model'] === 'down') return void response.writeHead(503).end();
    if (account.gzips) compress(response);
    if (account.fixed instanceof Events) return void stream(response, account.fixed.list);
    if (typeof account.fixed === 'function') {
      const answerTo = account.fixed as (query: URLSearchParams, path: string) => unknown;
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      return json(response, answerTo(searchParams, `${request.method ?? ''} ${path}`));
    }
    if (account.fixed instanceof Lines) {
      response.writeHead(200, { 'content-type': account.fixed.type });
      return void response.end(account.fixed.text);
    }
    if (account.fixed !== undefined) return json(response, account.fixed);
    if (path === '/v1/responses') return answerResponse(body, response);
    if (path.startsWith('/v1/files/')) return void response.end(`content of ${path}`);
    json(response, made(`${request.method ?? ''} ${path}`));
  }

  function made(what: string): unknown {
    switch (what) {
      case 'POST /v1/files': {
        const file = { id: `file-${id()}`, object: 'file', filename: 'notes.txt' };
        files.push(file);
        return file;
      }
      case 'GET /v1/files':
        return { object: 'list', data: files, has_more: false };
      case 'POST /v1/batches':
        return { id: `batch_${id()}`, object: 'batch', output_file_id: `file-${id()}` };
      case 'POST /v1beta/cachedContents':
        return { name: `cachedContents/${id().toLowerCase()}`, model: 'models/gemini-2.5-flash' };
      case 'POST /v1/messages':
        return {
          ...{ id: `msg_${id()}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
          content: [{ type: 'text', text: 'hi' }],
          ...{ stop_reason: 'end_turn', container: { id: `container_${id()}`, expires_at: 'later' } },
          usage: { input_tokens: 1, output_tokens: 1 },
        };
      default:
        return { id: `obj_${id()}`, ok: true };
    }
  }

  const { url, close } = await onLoopback(server);
  const account: ProviderAccount = {
    url,
    arrived,
    hold: Promise.resolve(),
    fixed: undefined,
    gzips: false,
    close,
  };
  return account;
}

function id(): string {
  return `7a${randomBytes(12).toString('hex')}`;
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function answerResponse(body: Json, response: ServerResponse): void {
  const item = {
    ...{ id: `msg_${id()}`, type: 'message', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: 'hi', annotations: [] }],
  };
  const made = {
    ...{ id: `resp_${id()}`, object: 'response', status: 'completed', model: 'gpt-4o', output: [item] },
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
  if (body['stream'] !== true) {
    json(response, made);
    return;
  }
  stream(response, [
    { type: 'response.created', response: { ...made, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    ...[
      {
        type: 'response.output_text.delta',
        item_id: item.id,
        output_index: 0,
        content_index: 0,
        delta: 'hi',
      },
    ],
    { type: 'response.completed', response: made },
  ]);
}

function stream(response: ServerResponse, events: readonly Json[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [sequence_number, event] of events.entries())
    response.write(
      `event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    );
  response.end();
}

function compress(response: ServerResponse): void {
  const plain: Buffer[] = [];
  const end = response.end.bind(response);
  response.setHeader('content-encoding', 'gzip');
  response.write = (chunk: string) => plain.push(Buffer.from(chunk)) > 0;
  response.end = (chunk?: unknown) => {
    if (typeof chunk === 'string') plain.push(Buffer.from(chunk));
    return end(gzipSync(Buffer.concat(plain)));
  };
}
