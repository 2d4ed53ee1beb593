import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import type { MaskingBuffer } from '../scan/masking-buffer.ts';
import type { ChannelScanner } from '../scan/text-scanner.ts';
import type { TextPrint } from './copies.ts';

/** One text of a streamed answer: of a choice, a content block or a tool call. */
export interface Channel {
  readonly name: string;
  readonly scanner: ChannelScanner;
  readonly choice: Choice;
  /** Its lane within the choice. */
  readonly lane: string;
  /** The digest of its text. A new one begins if it continues after its end. */
  print: TextPrint;
  /** The frame that carries held text if nothing more comes. Undefined if nothing is held. */
  template: FrameTemplate | undefined;
  /** It has ended, but may continue all the same. */
  hasEnded: boolean;
}

/** An event that was sent, or that has nothing but held text, and the path of the channel's text in it. */
export interface FrameTemplate {
  readonly event: StreamEvent;
  readonly path: JsonPath;
  /** Its edits outside texts. */
  readonly masks: readonly JsonEdit[];
}

/** One of several answers to a request. */
export interface Choice {
  /** The lane that it streams now. */
  lane: string | undefined;
  channels: Channel[];
  hasLeft: boolean;
}

/** Text of another lane that must leave before an event. */
export interface Followed {
  readonly channel: Channel;
  readonly to: number;
  /** Events and bytes received meanwhile. */
  events: number;
  bytes: number;
  /** The event overtakes the text. */
  isGivenUp: boolean;
}

/** A part of an outgoing text. */
export interface BufferSpan {
  readonly buffer: MaskingBuffer;
  readonly from: number;
  readonly to: number;
}

/** One of an event's texts. */
export interface EventText extends BufferSpan {
  readonly delta: TextDelta;
  /** Undefined for a whole text. */
  readonly channel: Channel | undefined;
}

/** A read event, and what it waits for. */
export interface ReadEvent {
  readonly event: StreamEvent;
  /** Edits outside texts. */
  readonly edits: readonly JsonEdit[];
  readonly texts: readonly EventText[];
  /** Edits that remove token ids, if anything was masked before they are sent. Tokens are blanked then too. */
  readonly tokenIds: readonly JsonEdit[];
  /** Texts that are searched but not edited: sent as received, or not at all. */
  readonly unsent: readonly BufferSpan[];
  /** Channels that end with it. Their text up to `to` must leave first. */
  readonly closed: readonly { readonly channel: Channel; readonly to: number }[];
  /** Ends of other lanes that must leave first. */
  readonly follows: readonly Followed[];
  /** Sent only once all of its text is decided. */
  readonly waits: boolean;
}
