import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { StreamEvent, TextDelta } from '../../providers/provider.ts';
import type { MaskingBuffer } from '../scan/masking-buffer.ts';
import type { ChannelScanner } from '../scan/text-scanner.ts';
import type { TextPrint } from './copies.ts';

/** One text of a streamed answer: of a choice, a content block, a tool call. */
export interface Channel {
  readonly name: string;
  readonly scanner: ChannelScanner;
  readonly choice: Choice;
  /** What of its choice it belongs to. */
  readonly lane: string;
  /** Of its text so far; another one begins where it goes on after its end. */
  said: TextPrint;
  /** What would carry the text that is held if nothing more came; undefined where nothing is held. */
  template: FrameTemplate | undefined;
  /** Nothing more is to come; it may all the same. */
  hasEnded: boolean;
}

/** An event that was sent, or said nothing but text that is held, and the place of the channel's text in it. */
export interface FrameTemplate {
  readonly event: StreamEvent;
  readonly path: JsonPath;
  /** Its edits of everything but text. */
  readonly masks: readonly JsonEdit[];
}

/** One of several answers to a request. */
export interface Choice {
  /** What it streams now. */
  lane: string | undefined;
  /** The channels of that lane. */
  channels: Channel[];
  /** An event with a text of this choice has been sent. */
  hasLeft: boolean;
}

/** The text of another lane that must leave before an event. */
export interface Followed {
  readonly channel: Channel;
  readonly to: number;
  /** Events that came meanwhile, and their length. */
  events: number;
  bytes: number;
  /** The event goes ahead; the text leaves later. */
  isGivenUp: boolean;
}

/** A part of a text on its way out. */
export interface BufferSpan {
  readonly buffer: MaskingBuffer;
  readonly from: number;
  readonly to: number;
}

/** One of an event's texts. */
export interface EventText extends BufferSpan {
  readonly delta: TextDelta;
  /** Undefined for a text that came whole. */
  readonly channel: Channel | undefined;
}

/** An event that was read, and what it waits for. */
export interface ReadEvent {
  readonly event: StreamEvent;
  /** Of everything that is no text. */
  readonly edits: readonly JsonEdit[];
  readonly texts: readonly EventText[];
  /** Leave no token ids, where anything of the stream was masked before they are sent. Tokens are blanked then too. */
  readonly tokenIds: readonly JsonEdit[];
  /** Texts of it that are searched and sent as they came, or not at all. */
  readonly unsent: readonly BufferSpan[];
  /** Channels that end with it; their text up to there must be sent by then. */
  readonly closed: readonly { readonly channel: Channel; readonly to: number }[];
  /** The ends of other lanes, which must be sent before. */
  readonly follows: readonly Followed[];
  /** It is sent only once all of its text is decided. */
  readonly waits: boolean;
}
