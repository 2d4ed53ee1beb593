import type { StreamEvent, TextDelta } from '../../../providers/provider.ts';
import type { Work } from '../../../turns.ts';
import type { Found } from '../inspected.ts';
import type { Channel, Choice, EventText, Followed } from './read-event.ts';

/** Events that wait for the end of another lane, in case that it goes on. */
const MAX_EVENTS = 16;
const MAX_CHOICES = 1024;
const NO_CHANNELS: readonly Channel[] = [];

/**
 * Keeps the order of what clients read one after the other: reasoning, text, a refusal, each tool call. When the next of
 * them begins, the held end of the one before leaves first. An ordinary word is judged and leaves at once. For anything
 * else the event waits a little, since some models go on with a text after a thought, and a secret may span both.
 */
export class Lanes {
  readonly #choices = new Map<string, Choice>();
  #waiting: Followed[] = [];

  choiceOf(name: string): Choice {
    const known = this.#choices.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#choices.size < MAX_CHOICES ? [] : this.#choices.keys();
    if (oldest !== undefined) this.#choices.delete(oldest);
    const choice: Choice = { lane: undefined, channels: [], isMixed: false, hasLeft: false };
    this.#choices.set(name, choice);
    return choice;
  }

  /**
   * The lanes that an event leaves, by their channels.
   * @param passesArguments arguments of tools are none of its texts
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

  /** What an event must follow of the channels whose lane it leaves; ends those of which that is certain. */
  *follow(left: readonly Channel[], found: Found[]): Work<readonly Followed[]> {
    const followed: Followed[] = [];
    for (const channel of left) {
      const { buffer, tail, isDocument } = channel.scanner;
      const { settled, length } = buffer;
      const mayEnd = isDocument !== true && !channel.choice.isMixed;
      if (settled < length && mayEnd && isOrdinary(tail.slice(settled - length))) {
        yield* settleChannel(channel, found);
      }
      if (buffer.sent < length) followed.push({ channel, to: length, events: 0, isGivenUp: false });
    }
    this.#waiting.push(...followed);
    return followed;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Called with each event: what was waited for long enough is judged as if nothing followed. */
  *settle(found: Found[]): Work<void> {
    for (const one of this.#waiting) {
      one.events += 1;
      const { buffer, isDocument } = one.channel.scanner;
      if (one.events <= MAX_EVENTS || buffer.settled >= one.to) continue;
      if (isDocument === true || buffer.length > one.to) one.isGivenUp = true;
      else yield* settleChannel(one.channel, found);
    }
    this.#waiting = this.#waiting.filter(
      ({ channel, to, events }) => events <= MAX_EVENTS && channel.scanner.buffer.settled < to,
    );
  }
}

function enter({ channel, delta, from }: EventText, left: readonly Channel[]): readonly Channel[] {
  if (channel === undefined || delta.loose === true) return left;
  const { choice, lane } = channel;
  if (choice.lane !== lane && from > 0) choice.isMixed = true;
  const all = change(choice, lane, left);
  if (!choice.channels.includes(channel)) choice.channels.push(channel);
  return all;
}

/** Changes the lane of a choice; adds the channels of the one that it leaves. */
function change(choice: Choice, lane: string, left: readonly Channel[]): readonly Channel[] {
  if (choice.lane === lane) return left;
  const { channels } = choice;
  choice.lane = lane;
  choice.channels = [];
  if (channels.length === 0) return left;
  return left.length === 0 ? channels : [...left, ...channels];
}

/** Decides what is held. Its channel may go on, and a finding that began before is still found. */
function* settleChannel({ scanner }: Channel, found: Found[]): Work<void> {
  for (const one of scanner.finish()) found.push(one);
  yield scanner.keptChars;
}

/** Up to three words of small letters, which may begin an address, but no secret. */
const ORDINARY =
  /^[\s"'(*]{0,4}\p{L}?[\p{Ll}\p{Lo}]{0,15}(?: \p{L}?[\p{Ll}\p{Lo}]{0,15}){0,2}[.,;:!?)"'*\s]{0,4}$/u;
const MAX_ORDINARY_CHARS = 60;

function isOrdinary(text: string): boolean {
  return text.length <= MAX_ORDINARY_CHARS && ORDINARY.test(text);
}

/** The name of the choice that a delta belongs to. */
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

/** `0/tool/1/arguments.path` is of the lane `tool/1`. */
function laneNamed(name: string): string {
  const [, word = '', place = ''] = name.split('/', 3);
  if (word === 'beside') return 'text';
  return /^\d/.test(place) ? `${word}/${place}` : word;
}
