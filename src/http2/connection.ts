import type { Socket } from 'node:net';
import {
  assertIgnorable,
  assertLength,
  assertOnConnection,
  assertOnStream,
  CODE,
  CONNECTION_ID,
  ConnectionError,
  FLAG,
  FRAME,
  frame,
  protocolError,
  readUint31,
  uint32,
  unpadded,
  type Code,
  type Http2Frame,
  FrameReader,
} from './frame.ts';
import { FloodGuard, LIMITS } from './limits.ts';
import { HeaderBlocks, type HeaderBlock } from './header-block.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { FrameOutbox, OVERFULL_BYTES } from './outbox.ts';
import { readHttp2RequestHead, type Http2RequestHead } from './request-head.ts';
import { Sender } from './sender.ts';
import { GREETING, readSettings, SETTING } from './settings.ts';
import { Http2Stream, type StreamEvents, type StreamOwner } from './stream.ts';

const PING_BYTES = 8;
const CODE_BYTES = 4;
/** Weight of a SETTINGS frame, which may affect all open streams. */
const SETTINGS_WEIGHT = 10;

export interface ConnectionUser {
  accept(stream: Http2Stream, head: Http2RequestHead): StreamEvents;
  /** Called if a handler throws. The stream, or the connection if there is no stream, is then closed. */
  onFault(cause: unknown): void;
}

/** The server side of an HTTP/2 connection (RFC 9113), without push and priorities. */
export class Http2Connection {
  readonly #socket: Socket;
  readonly #user: ConnectionUser;
  readonly #outbox: FrameOutbox;
  readonly #sender: Sender;
  readonly #frames = new FrameReader();
  readonly #blocks = new HeaderBlocks();
  readonly #hpack = new HpackDecoder(LIMITS.headerListBytes);
  readonly #floods = new FloodGuard(() => performance.now());
  readonly #streams = new Map<number, Http2Stream>();
  readonly #owner: StreamOwner = { forget: (stream) => this.#forget(stream) };
  readonly #greeting: NodeJS.Timeout;
  #isGreeted = false;
  #isDead = false;
  /** Highest stream id opened by the peer. */
  #lastId = 0;
  /** Received octets not yet returned to the connection's window. */
  #uncredited = 0;

  constructor(socket: Socket, user: ConnectionUser) {
    this.#socket = socket;
    this.#user = user;
    this.#outbox = new FrameOutbox(socket);
    this.#sender = new Sender(this.#outbox);
    // After a suspension, a greeting that has already arrived is read first.
    this.#greeting = setTimeout(() => setImmediate(() => this.#assertGreeted()), LIMITS.greetingMs);
    this.#outbox.add(GREETING);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#drained());
    socket.on('error', () => socket.destroy());
    socket.on('end', () => this.#leave(CODE.noError));
    socket.on('close', () => this.#closed());
  }

  shutdown(): void {
    for (const stream of [...this.#streams.values()]) stream.reset(CODE.cancel);
    this.#leave(CODE.noError);
  }

  #assertGreeted(): void {
    if (!this.#isGreeted) this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#isDead) return;
    try {
      this.#frames.push(chunk);
      for (let next = this.#frames.next(); next !== undefined; next = this.#frames.next()) {
        this.#handle(next);
        if (this.#isDead) return;
      }
    } catch (cause) {
      if (!(cause instanceof ConnectionError)) this.#user.onFault(cause);
      this.#leave(cause instanceof ConnectionError ? cause.code : CODE.internalError);
    }
    if (this.#outbox.unsentBytes > OVERFULL_BYTES) this.#socket.pause();
  }

  #handle(received: Http2Frame): void {
    try {
      this.#dispatch(received);
    } catch (cause) {
      const stream = this.#streams.get(received.streamId);
      if (cause instanceof ConnectionError || stream === undefined) throw cause;
      this.#user.onFault(cause);
      stream.reset(CODE.internalError);
    }
  }

  #dispatch(received: Http2Frame): void {
    const { type, streamId } = received;
    this.#blocks.assertNext(type === FRAME.continuation, streamId);
    if (!this.#isGreeted && type !== FRAME.settings) throw protocolError('the first frame must be SETTINGS');
    switch (type) {
      case FRAME.data:
        this.#data(received);
        return;
      case FRAME.headers:
        if (streamId % 2 === 0) throw protocolError('stream ids of clients must be odd');
        this.#block(this.#blocks.begin(received));
        return;
      case FRAME.continuation:
        this.#block(this.#blocks.continue(received));
        return;
      case FRAME.resetStream:
        this.#peerReset(received);
        return;
      case FRAME.windowUpdate:
        this.#windowUpdate(received);
        return;
      case FRAME.settings:
        this.#settings(received);
        return;
      case FRAME.ping:
        this.#ping(received);
        return;
      default:
        assertIgnorable(received);
        this.#floods.count();
    }
  }

  #data(received: Http2Frame): void {
    assertOnStream(received);
    const size = received.to - received.from;
    const { from, to } = unpadded(received);
    const isEnd = (received.flags & FLAG.endStream) !== 0;
    if (from === to && !isEnd) this.#floods.count();
    this.#creditConnection(size);
    const stream = this.#known(received.streamId);
    if (stream === undefined) return;
    if (stream.isRemoteEnded) stream.reset(CODE.streamClosed);
    else if (!stream.receive(size)) stream.reset(CODE.flowControlError);
    else {
      if (from < to) stream.events.data(received.bytes, from, to);
      if (isEnd) this.#remoteEnded(stream);
      else stream.credited();
    }
  }

  /** Credits data before it is read, so that a slow stream, bounded by its own window, does not block others. */
  #creditConnection(size: number): void {
    this.#uncredited += size;
    if (this.#uncredited < LIMITS.connectionWindowBytes / 2) return;
    this.#outbox.add(frame(FRAME.windowUpdate, 0, CONNECTION_ID, uint32(this.#uncredited)));
    this.#uncredited = 0;
  }

  /** Returns undefined for a closed stream. Throws ConnectionError if the stream was never opened. */
  #known(streamId: number): Http2Stream | undefined {
    const stream = this.#streams.get(streamId);
    if (stream === undefined && (streamId > this.#lastId || streamId % 2 === 0)) {
      throw protocolError('a frame refers to a stream that was never opened');
    }
    return stream;
  }

  #remoteEnded(stream: Http2Stream): void {
    stream.isRemoteEnded = true;
    if (!stream.isClosed && !stream.isLocalEnded) stream.events.ended();
    stream.leaveIfOver();
  }

  #block(block: HeaderBlock | undefined): void {
    if (block === undefined) return;
    const headers = this.#decode(block);
    const { streamId, isEnd } = block;
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      // Trailers must end the peer's side.
      if (stream.isRemoteEnded) stream.reset(CODE.streamClosed);
      else if (isEnd) this.#remoteEnded(stream);
      else stream.reset(CODE.protocolError);
      return;
    }
    if (streamId <= this.#lastId) return; // trailers of a closed stream
    this.#lastId = streamId;
    const opened = new Http2Stream(streamId, this.#sender, this.#owner);
    this.#streams.set(streamId, opened);
    const head = readHttp2RequestHead(headers);
    if (this.#streams.size > LIMITS.streams) opened.reset(CODE.refusedStream);
    else if (head === undefined) opened.reset(CODE.protocolError);
    else {
      opened.events = this.#user.accept(opened, head);
      if (isEnd) this.#remoteEnded(opened);
    }
  }

  #decode({ bytes, from, to }: HeaderBlock): ReturnType<HpackDecoder['decode']> {
    try {
      return this.#hpack.decode(bytes, from, to);
    } catch {
      // The compression tables of both sides may now differ.
      throw new ConnectionError(CODE.compressionError, 'a header block cannot be decoded');
    }
  }

  #peerReset(received: Http2Frame): void {
    assertOnStream(received);
    assertLength(received, CODE_BYTES);
    const stream = this.#known(received.streamId);
    if (stream !== undefined) this.#forget(stream);
  }

  #windowUpdate(received: Http2Frame): void {
    assertLength(received, CODE_BYTES);
    const increment = readUint31(received.bytes, received.from);
    if (received.streamId === 0) {
      if (increment === 0) throw protocolError('a window increment must not be 0');
      this.#sender.connectionWindow(increment);
      return;
    }
    const stream = this.#known(received.streamId);
    if (stream === undefined) return;
    if (increment === 0) stream.reset(CODE.protocolError);
    else if (!this.#sender.streamWindow(stream, increment)) stream.reset(CODE.flowControlError);
  }

  #settings(received: Http2Frame): void {
    assertOnConnection(received);
    if ((received.flags & FLAG.ack) !== 0) {
      assertLength(received, 0);
      return;
    }
    this.#floods.count(SETTINGS_WEIGHT);
    for (const [id, value] of readSettings(received)) {
      if (id === SETTING.initialWindowSize) this.#sender.setInitialWindow(value, this.#streams.values());
      if (id === SETTING.headerTableSize) this.#sender.tableChanged();
    }
    if (!this.#isGreeted) clearTimeout(this.#greeting);
    this.#isGreeted = true;
    this.#outbox.add(frame(FRAME.settings, FLAG.ack, CONNECTION_ID, ''));
  }

  #ping(received: Http2Frame): void {
    assertOnConnection(received);
    assertLength(received, PING_BYTES);
    this.#floods.count();
    if ((received.flags & FLAG.ack) !== 0) return;
    const payload = received.bytes.toString('latin1', received.from, received.to);
    this.#outbox.add(frame(FRAME.ping, FLAG.ack, CONNECTION_ID, payload));
  }

  #drained(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#sender.socketDrained();
  }

  #forget(stream: Http2Stream): void {
    if (stream.isClosed) return;
    stream.isClosed = true;
    this.#streams.delete(stream.id);
    this.#sender.forget(stream);
    stream.events.closed();
  }

  #leave(code: Code): void {
    if (this.#isDead) return;
    this.#outbox.add(frame(FRAME.goAway, 0, CONNECTION_ID, uint32(this.#lastId) + uint32(code)));
    this.#outbox.flush();
    this.#isDead = true;
    this.#forgetAll();
    const socket = this.#socket;
    socket.end(() => socket.destroy());
    setTimeout(() => socket.destroy(), LIMITS.farewellMs).unref();
  }

  #closed(): void {
    this.#isDead = true;
    clearTimeout(this.#greeting);
    this.#forgetAll();
  }

  #forgetAll(): void {
    for (const stream of [...this.#streams.values()]) this.#forget(stream);
  }
}
