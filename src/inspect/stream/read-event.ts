import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import type { BufferSpan, ChannelScanner } from '../scan/text-scanner.ts';
import type { TextPrint } from './copies.ts';

/** One text of a streamed answer, from a choice, a content block or a tool call. */
export interface Channel {
  readonly name: string;
  readonly scanner: ChannelScanner;
  readonly choice: Choice;
  readonly lane: string;
  /** Replaced if the channel continues after its end. */
  print: TextPrint;
  /** The frame for held text if no event follows; undefined if no text is held. */
  template: FrameTemplate | undefined;
  /** Set after an end marker; the channel may still continue. */
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
  events: number;
  bytes: number;
  /** Whether the event no longer waits for the text. */
  isGivenUp: boolean;
}

export interface EventText extends BufferSpan {
  readonly delta: TextDelta;
  /** Undefined for a whole text. */
  readonly channel: Channel | undefined;
}

export interface ReadEvent {
  readonly event: StreamEvent;
  readonly edits: readonly JsonEdit[];
  readonly texts: readonly EventText[];
  /** Edits that remove token ids, applied only if anything has been masked before the ids are sent. */
  readonly tokenIds: readonly JsonEdit[];
  /** Texts that are searched but not edited: sent as received, or never sent. */
  readonly unsent: readonly BufferSpan[];
  readonly closed: readonly { readonly channel: Channel; readonly to: number }[];
  readonly follows: readonly Followed[];
  readonly waits: boolean;
}
