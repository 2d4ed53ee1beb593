import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWER_WITH_MAIL } from './load.ts';
import { stamp } from './time-stamp.ts';

/**
 * A provider of almost no cost: canned bytes over raw sockets, so that a bench measures the gateway in front of it. Runs
 * as its own process; prints its port. With the argument `held`, streams continue until its parent sends a message.
 */
const JSON_BODY = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-4o-mini',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'word '.repeat(100) }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 250, completion_tokens: 100, total_tokens: 350 },
});
const JSON_ANSWER = answerOf(JSON_BODY);
const MAIL_ANSWER = answerOf(JSON_BODY.replace('word word', 'Write to jane.miller@parcels-shop.com'));
/** The question for a mail address is short; longer bodies are not searched for it. */
const SHORT_BODY = 200;
export const STREAM_CHUNKS = 100;
const CHUNK_EVERY_MS = 5;
const HELD_CHUNK_EVERY_MS = 5_000;
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

function answerOf(body: string): Buffer {
  const length = String(body.length);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
}

function event(json: unknown): string {
  const text = `data: ${typeof json === 'string' ? json : JSON.stringify(json)}\n\n`;
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function chunk(delta: object, rest: object = {}): string {
  return event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...rest,
  });
}

/** Each chunk contains its send time, so that a client on the same machine can measure its delay. */
async function stream(socket: Socket): Promise<void> {
  socket.write(STREAM_HEAD);
  for (let n = 0; n < STREAM_CHUNKS && !socket.destroyed; n++) {
    socket.write(chunk({ content: stamp() }));
    await sleep(CHUNK_EVERY_MS);
  }
  socket.write(endOfStream());
}

function endOfStream(): string {
  const usage = { prompt_tokens: 250, completion_tokens: STREAM_CHUNKS, total_tokens: 250 + STREAM_CHUNKS };
  return `${chunk({}, { choices: [], usage })}${event('[DONE]')}0\r\n\r\n`;
}

const held = new Set<Socket>();

function hold(socket: Socket): void {
  const word = chunk({ content: 'word ' });
  socket.write(STREAM_HEAD + word);
  held.add(socket);
  const timer = setInterval(() => socket.write(word), HELD_CHUNK_EVERY_MS);
  socket.on('close', () => {
    held.delete(socket);
    clearInterval(timer);
  });
}

const serveStream = process.argv.includes('held') ? hold : stream;

/** Answers each request as soon as its body is complete. */
function serve(socket: Socket): void {
  let pending = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = pending.toString('latin1', 0, end).toLowerCase();
      const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      const body = pending.subarray(end + 4, end + 4 + length);
      pending = pending.subarray(end + 4 + length);
      if (body.includes('"stream":true')) void serveStream(socket);
      else if (body.length < SHORT_BODY && body.includes(ANSWER_WITH_MAIL)) socket.write(MAIL_ANSWER);
      else socket.write(JSON_ANSWER);
    }
  });
}

if (process.argv[1] === import.meta.filename) {
  const server = createServer(serve).listen(0, '127.0.0.1', 4_096, () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
  });
  process.on('message', () => {
    for (const socket of held) socket.end(endOfStream());
  });
  process.on('disconnect', () => process.exit(0));
}
