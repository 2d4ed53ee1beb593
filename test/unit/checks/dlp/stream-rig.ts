import type { StreamRewriterDeps } from '../../../../src/checks/dlp/judge-answer.ts';
import { PASS_EVENT, type Denial, type RewrittenFrame } from '../../../../src/pipeline/check.ts';
import { applyEdits } from '../../../../src/json/edit.ts';
import type { JsonPath } from '../../../../src/json/path.ts';
import type { StreamEvent, TextDelta, TokenText } from '../../../../src/providers/dialect.ts';
import { rewriterOf, WITHHELD } from '../../../support/dlp-rewriter.ts';
import { wordDetector } from './stream-detectors.ts';

/** A stream as received by a client. */
export interface Sent {
  /** Payloads, in order. */
  readonly frames: string[];
  /** The output for each event: payloads, or `cut`. */
  readonly steps: string[][];
  readonly reasons: string[];
  readonly comment: string | undefined;
  readonly cut: Denial | undefined;
  /** Reported classes with their actions. */
  readonly classes: string[];
  /** Arguments of a quarantine: rule and text. */
  readonly quarantined: string[];
}

/** Sends events through such a rewriter. */
export async function send(
  events: Iterable<StreamEvent>,
  overrides: Partial<StreamRewriterDeps> = {},
): Promise<Sent> {
  const classes: string[] = [];
  const quarantined: string[] = [];
  const rewriter = rewriterOf(wordDetector, {
    onQuarantine(found) {
      for (const { finding, text } of found) quarantined.push(`${finding.rule} ${text}`);
      return WITHHELD;
    },
    onFound: (found, action) => classes.push(`${found} ${action}`),
    ...overrides,
  });
  const steps: string[][] = [];
  const reasons: string[] = [];
  const over = (cut: Denial | undefined, comment?: string): Sent => ({
    frames: steps.flat().filter((step) => step !== 'cut'),
    steps,
    reasons,
    comment,
    cut,
    classes,
    quarantined,
  });
  for (const event of events) {
    const action = (await rewriter.event?.(event)) ?? PASS_EVENT;
    if (action.kind === 'cut') {
      steps.push(['cut']);
      return over(action.denial, await rewriter.comment?.());
    }
    if (action.kind === 'pass') steps.push([payloadOf(event)]);
    if (action.kind !== 'rewrite') continue;
    const { before = [], edits = [], held, reason } = action;
    steps.push([...before, ...(held ? [] : [{ event, edits }])].map(written));
    if (reason !== undefined) reasons.push(reason);
  }
  const tail = await rewriter.end?.();
  if (tail?.cut !== undefined) return over(tail.cut, await rewriter.comment?.());
  steps.push((tail?.before ?? []).map(written));
  if (tail?.reason !== undefined) reasons.push(tail.reason);
  return over(undefined, await rewriter.comment?.());
}

function written({ event, edits, copy }: RewrittenFrame): string {
  if (copy === true && edits.length === 0) throw new Error('a copy without changes says everything again');
  const data = payloadOf(event);
  if (edits.length === 0) return data;
  if (event.json !== undefined) return applyEdits(Buffer.from(data), edits).toString();
  const [whole] = edits;
  if (whole?.kind !== 'set' || whole.path.length > 0 || edits.length > 1) throw new Error('no such edit');
  return String(whole.value);
}

function payloadOf({ frame, inner }: StreamEvent): string {
  return inner?.json ?? frame.data ?? frame.raw.toString();
}

type Extras = Partial<Omit<StreamEvent, 'frame' | 'deltas' | 'json'>>;

/** An event of a payload, with its texts. */
export function eventOf(payload: unknown, deltas: readonly TextDelta[], extras: Extras = {}): StreamEvent {
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const frame = { raw: Buffer.from(`data: ${data}\n\n`), data };
  const json: unknown = /^[{"]/.test(data) ? JSON.parse(data) : undefined;
  return { frame, deltas, ...(json !== undefined && { json }), ...extras };
}

export interface ChatText {
  readonly text: string;
  /** Of its choice. */
  readonly index?: number;
  readonly member?: 'content' | 'reasoning' | 'arguments';
}

/** A chunk of a chat answer, with a text for each choice, its channel being `<index>/<member>`. */
export function chat(
  texts: string | readonly ChatText[],
  extras: Extras & { readonly counts?: object } = {},
): StreamEvent {
  const { counts, ...rest } = extras;
  const list = typeof texts === 'string' ? [{ text: texts }] : texts;
  const payload = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'model-1',
    choices: list.map(({ text, index = 0, member = 'content' }) => ({
      index,
      delta: { [member]: text },
      finish_reason: null,
    })),
    ...(counts !== undefined && { usage: counts }),
  };
  const deltas = list.map(({ text, index = 0, member = 'content' }, place): TextDelta => ({
    channel: `${index}/${member}`,
    kind: member === 'content' ? 'text' : member === 'reasoning' ? 'reasoning' : 'tool_arguments',
    text,
    path: ['choices', place, 'delta', member],
    ...(member === 'arguments' && { isJson: true }),
  }));
  return eventOf(
    payload,
    deltas.filter(({ text }) => text !== ''),
    rest,
  );
}

/** Chunks of one choice's text. */
export function* chats(pieces: Iterable<string>): Generator<StreamEvent, void> {
  for (const piece of pieces) yield chat(piece);
}

/** A chunk with a text and its tokens, which spell it unless others are given. */
export function chatWithTokens(text: string, spelled: readonly string[] = [text]): StreamEvent {
  const payload = {
    choices: [
      {
        index: 0,
        delta: { content: text },
        logprobs: { content: spelled.map((token) => ({ token, bytes: [1] })) },
      },
    ],
  };
  const tokens = spelled.map((token, place): TokenText => {
    const path: JsonPath = ['choices', 0, 'logprobs', 'content', place];
    return {
      channel: '0/content',
      text: token,
      blank: [
        { kind: 'set', path: [...path, 'token'], value: '***' },
        { kind: 'set', path: [...path, 'bytes'], value: null },
      ],
    };
  });
  const deltas: TextDelta[] = [
    { channel: '0/content', kind: 'text', text, path: ['choices', 0, 'delta', 'content'] },
  ];
  return eventOf(
    payload,
    deltas.filter((delta) => delta.text !== ''),
    { tokens },
  );
}

/** The sent texts of a channel, joined. */
export function textOf(frames: readonly string[], index = 0, member = 'content'): string {
  return frames.map((frame) => textIn(frame, index, member)).join('');
}

function textIn(frame: string, index: number, member: string): string {
  if (!frame.startsWith('{')) return '';
  const { choices = [] } = JSON.parse(frame) as {
    choices?: { index: number; delta: Record<string, string> }[];
  };
  return choices
    .filter((choice) => choice.index === index)
    .map(({ delta }) => delta[member] ?? '')
    .join('');
}
