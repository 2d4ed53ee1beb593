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
  readonly lane: string;
  /** Renewed if the channel continues after its end. */
  print: TextPrint;
  /** The frame for held text if nothing more comes. Undefined if nothing is held. */
  template: FrameTemplate | undefined;
  /** It may continue all the same. */
  hasEnded: boolean;
}

/** An event that was sent, or that contains only held text, and the path of the channel's text in it. */
export interface FrameTemplate {
  readonly event: StreamEvent;
  readonly path: JsonPath;
  readonly masks: readonly JsonEdit[];
}

export interface Choice {
  lane: string | undefined;
  channels: Channel[];
  hasLeft: boolean;
}

/** Text of another lane to send before an event. */
export interface Followed {
  readonly channel: Channel;
  readonly to: number;
  /** Received while it waits. */
  events: number;
  bytes: number;
  /** The event no longer waits for the text. */
  isGivenUp: boolean;
}

export interface BufferSpan {
  readonly buffer: MaskingBuffer;
  readonly from: number;
  readonly to: number;
}

export interface EventText extends BufferSpan {
  readonly delta: TextDelta;
  /** Undefined for a whole text. */
  readonly channel: Channel | undefined;
}

export interface ReadEvent {
  readonly event: StreamEvent;
  /** Edits outside texts. */
  readonly edits: readonly JsonEdit[];
  readonly texts: readonly EventText[];
  /** Edits that remove token ids, applied if anything is masked before they are sent; tokens are blanked then, too. */
  readonly tokenIds: readonly JsonEdit[];
  /** Texts that are searched but not edited: sent as received, or never. */
  readonly unsent: readonly BufferSpan[];
  /** Channels that end with it. Their text up to `to` is sent first. */
  readonly closed: readonly { readonly channel: Channel; readonly to: number }[];
  /** Ends of other lanes to send first. */
  readonly follows: readonly Followed[];
  /** Sent once all of its text is decided. */
  readonly waits: boolean;
}
