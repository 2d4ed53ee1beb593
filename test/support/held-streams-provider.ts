import { createServer, type Socket } from 'node:net';

/**
 * A provider whose streams continue until its parent writes `end`: one chunk at once, then one each `EVERY_MS`. Bodies
 * without a stream are answered at once. Runs as its own process; prints its port.
 */
const EVERY_MS = 5_000;
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const USAGE = { prompt_tokens: 250, completion_tokens: 100, total_tokens: 350 };
const JSON_BODY = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' }],
  usage: USAGE,
});
const JSON_ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(JSON_BODY.length)}\r\n\r\n${JSON_BODY}`;

function event(json: unknown): string {
  const text = `data: ${typeof json === 'string' ? json : JSON.stringify(json)}\n\n`;
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function chunk(rest: object): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000 };
  return event({ ...head, model: 'gpt-4o-mini', ...rest });
}

const WORD = chunk({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] });
const LAST = `${chunk({ choices: [], usage: USAGE })}${event('[DONE]')}0\r\n\r\n`;

const open = new Set<Socket>();

function stream(socket: Socket): void {
  socket.write(STREAM_HEAD + WORD);
  open.add(socket);
  const timer = setInterval(() => socket.write(WORD), EVERY_MS);
  socket.on('close', () => {
    open.delete(socket);
    clearInterval(timer);
  });
}

/** Answers each request as soon as its body is complete. */
function serve(socket: Socket): void {
  let pending = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = pending.toString('latin1', 0, end).toLowerCase();
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    const body = pending.subarray(end + 4, end + 4 + length);
    pending = pending.subarray(end + 4 + length);
    if (body.includes('"stream":true')) stream(socket);
    else socket.write(JSON_ANSWER);
  });
}

if (process.argv[1] === import.meta.filename) {
  const server = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1', 4_096, () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
  });
  process.on('message', () => {
    for (const socket of open) socket.end(LAST);
  });
  process.on('disconnect', () => process.exit(0));
}
