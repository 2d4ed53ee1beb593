import { addAll } from '../../add-all.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import type { Channel, Choice, EventText, Followed } from './read-event.ts';

/** Maximum number of events and bytes during which an event waits for the end of another lane. */
const MAX_EVENTS = 16;
const MAX_BYTES = 262_144;
const MAX_CHOICES = 1024;
const NO_CHANNELS: readonly Channel[] = [];
const NOTHING_FOLLOWED: readonly Followed[] = [];

/**
 * Keeps the order of lanes, the texts that clients read in sequence: reasoning, text, a refusal, each tool call. When
 * the next lane begins, the held end of the previous lane is sent first. Held text is undecided, because a thought may
 * interrupt a text and a finding may span both parts, so the next lane waits for a limited time. Then held plain words
 * are sent, and the next lane overtakes any other held text, which is sent after being judged with the text after it.
 */
export class Lanes {
  readonly #choices = new Map<string, Choice>();
  #waiting: Followed[] = [];

  choiceOf(name: string): Choice {
    const known = this.#choices.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#choices.size < MAX_CHOICES ? [] : this.#choices.keys();
    if (oldest !== undefined) this.#choices.delete(oldest);
    const choice: Choice = { lane: undefined, channels: [], hasLeft: false };
    this.#choices.set(name, choice);
    return choice;
  }

  /**
   * Returns the channels of the lanes that an event leaves.
   * @param passesArguments whether `texts` excludes tool arguments
   */
  leftBy(event: StreamEvent, texts: readonly EventText[], passesArguments: boolean): readonly Channel[] {
    let left: readonly Channel[] = NO_CHANNELS;
    const { begins, deltas, isInOrder } = event;
    if (isInOrder !== true) return left;
    if (begins === undefined && !passesArguments) {
      for (const text of texts) left = enter(text, left);
      return left;
    }
    let at = 0;
    for (const [index, delta] of deltas.entries()) {
      for (const { before, channel } of begins ?? []) {
        if (before === index) left = this.#begin(channel, left);
      }
      const text = texts[at];
      if (text?.delta === delta) {
        at += 1;
        left = enter(text, left);
      } else {
        left = this.#begin(delta.channel, left);
      }
    }
    for (const { before, channel } of begins ?? []) {
      if (before >= deltas.length) left = this.#begin(channel, left);
    }
    return left;
  }

  #begin(name: string, left: readonly Channel[]): readonly Channel[] {
    return change(this.choiceOf(choiceNamed(name)), laneNamed(name), left);
  }

  /** Returns the held text of the channels in `left`, which must be sent before an event. */
  follow(left: readonly Channel[]): readonly Followed[] {
    if (left.length === 0) return NOTHING_FOLLOWED;
    const followed: Followed[] = [];
    for (const channel of left) {
      const { sent, length } = channel.scanner.buffer;
      if (sent < length) followed.push({ channel, to: length, events: 0, bytes: 0, isGivenUp: false });
    }
    addAll(this.#waiting, followed);
    return followed;
  }

  /** Stops waiting for late text, or releases plain words. Must be called after each event. */
  settle(bytes: number): void {
    if (this.#waiting.length === 0) return;
    for (const followed of this.#waiting) {
      followed.events += 1;
      followed.bytes += bytes;
      const isLate = followed.events > MAX_EVENTS || followed.bytes > MAX_BYTES;
      followed.isGivenUp = isLate && !isReleased(followed);
    }
    this.#waiting = this.#waiting.filter(
      ({ channel, to, isGivenUp }) => !isGivenUp && channel.scanner.buffer.settled < to,
    );
  }
}

function isReleased({ channel: { scanner }, to }: Followed): boolean {
  return scanner.buffer.settled >= to || scanner.releasePlainWords();
}

function enter({ channel, delta }: EventText, left: readonly Channel[]): readonly Channel[] {
  if (channel === undefined || delta.loose === true) return left;
  const { choice, lane } = channel;
  const all = change(choice, lane, left);
  if (!choice.channels.includes(channel)) choice.channels.push(channel);
  return all;
}

/** Changes the lane of a choice. Returns `left` with the channels of the previous lane. */
function change(choice: Choice, lane: string, left: readonly Channel[]): readonly Channel[] {
  if (choice.lane === lane) return left;
  const { channels } = choice;
  choice.lane = lane;
  choice.channels = [];
  if (channels.length === 0) return left;
  return left.length === 0 ? channels : [...left, ...channels];
}

export function choiceOfDelta({ copies, channel }: TextDelta): string {
  return choiceNamed(copies ?? channel);
}

export function laneOfDelta({ kind, copies, channel }: TextDelta): string {
  return kind === 'reasoning' ? kind : laneNamed(copies ?? channel);
}

function choiceNamed(name: string): string {
  const slash = name.indexOf('/');
  return slash < 0 ? name : name.slice(0, slash);
}

/** Returns `tool/1` for `0/tool/1/arguments.path`. */
function laneNamed(name: string): string {
  const [, word = '', place = ''] = name.split('/', 3);
  if (word === 'beside') return 'text';
  return /^\d/.test(place) ? `${word}/${place}` : word;
}
