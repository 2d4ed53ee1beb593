import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, TextDelta, Usage } from '../dialect.ts';
import {
  answerReaders,
  editable,
  joinedMember,
  jsonReader,
  type Meaning,
  wholeDeltas,
} from './answer-reader.ts';
import { anthropicCut } from './error-frames.ts';
import { arrayOf, cacheApart, objectOf, tokenCount } from './fields.ts';
import { addAnswerTextsIn, answerTextsIn } from './json-text.ts';

export const anthropicAnswers = answerReaders(readAnthropicMessage, createMessageReader);

function* readAnthropicMessage(message: JsonObject): Work<AnswerFacts> {
  const texts: AnswerText[] = [];
  for (const [index, block] of arrayOf(message.content).entries()) {
    yield* addBlockTexts(texts, block, ['content', index]);
  }
  return {
    usage: readUsage(objectOf(message.usage)),
    texts,
    ...(yield* joinedMember(texts, joinedName)),
  };
}

/** Joins text blocks: citations, tools and thinking split the text of an answer into blocks. */
function joinedName({ kind, path: [, , name, ...below] }: AnswerText): string | undefined {
  return below.length === 0 && (name === 'text' || name === 'thinking') ? kind : undefined;
}

function* addBlockTexts(into: AnswerText[], value: unknown, path: JsonPath): Work<void> {
  yield ITEM_CHARS;
  if (!isObject(value)) return;
  switch (value.type) {
    case 'text':
      addText(into, { kind: 'text', text: value.text, path: [...path, 'text'] });
      yield* addAnswerTextsIn(into, 'text', value.citations, [...path, 'citations']);
      return;
    case 'thinking': {
      const signed = typeof value.signature === 'string' && value.signature !== '';
      const at = [...path, 'thinking'];
      addText(into, { kind: 'reasoning', text: value.thinking, path: at, ...(signed && { signed }) });
      return;
    }
    case 'redacted_thinking':
      return;
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      yield* addAnswerTextsIn(into, 'tool_arguments', value.input, [...path, 'input']);
      return;
    default:
      yield* addAnswerTextsIn(into, 'text', value, path);
  }
}

function addText(into: AnswerText[], found: Omit<AnswerText, 'text'> & { readonly text: unknown }): void {
  const { text } = found;
  if (typeof text === 'string' && text !== '') into.push({ ...found, text });
}

/** Iterations that the top-level counts exclude. */
const BILLED_SEPARATELY: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message']);

/** Normalizes usage. Anthropic's `input_tokens` excludes cache reads and writes. */
function readUsage(usage: JsonObject): Usage | undefined {
  const top = readCounts(usage);
  if (top === undefined) return undefined;
  return arrayOf(usage.iterations)
    .filter((iteration) => isObject(iteration) && BILLED_SEPARATELY.has(iteration.type))
    .map((iteration) => readCounts(objectOf(iteration)))
    .reduce<Usage>((sum, more) => (more === undefined ? sum : addUsage(sum, more)), top);
}

function readCounts(usage: JsonObject): Usage | undefined {
  const counts = cacheApart(
    usage.input_tokens,
    usage.output_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    tokenCount(objectOf(usage.cache_creation).ephemeral_1h_input_tokens),
  );
  const thought = tokenCount(objectOf(usage.output_tokens_details).thinking_tokens);
  if (counts === undefined || thought === undefined) return counts;
  return { ...counts, reasoningTokens: Math.min(thought, counts.outputTokens) };
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: (a.cacheReadTokens ?? 0) + (b.cacheReadTokens ?? 0),
    cacheWriteTokens: (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0),
    cacheWrite1hTokens: (a.cacheWrite1hTokens ?? 0) + (b.cacheWrite1hTokens ?? 0),
    ...(a.reasoningTokens === undefined ? {} : { reasoningTokens: a.reasoningTokens }),
  };
}

/**
 * Reads the events of a streamed message. Usage arrives in parts: input at `message_start`, cumulative output (and
 * sometimes corrected input) at `message_delta`. The reader keeps the latest value of each member.
 */
function createMessageReader() {
  let latest: JsonObject = {};
  function merge(usage: unknown): Pick<Meaning, 'usage'> {
    if (!isObject(usage)) return {};
    latest = {
      ...latest,
      ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)),
    };
    const merged = readUsage(latest);
    return merged === undefined ? {} : { usage: merged };
  }
  function* read(event: JsonObject): Work<Meaning> {
    switch (event.type) {
      case 'message_start':
        return {
          ...(yield* startedMessage(objectOf(event.message))),
          ...merge(objectOf(event.message).usage),
        };
      case 'message_delta':
        return { deltas: [], ends: ['*'], ...merge(event.usage) };
      case 'content_block_start':
        return yield* startOfMessage(event);
      case 'content_block_delta':
        return yield* deltaMeaning(event);
      case 'content_block_stop':
        return {
          deltas: [],
          ends: KINDS.flatMap((kind) => [channel(kind, event), `${channel(kind, event)}/`]),
        };
      case 'message_stop':
        return { deltas: [], ends: ['*'], done: true };
      case 'error':
        return { deltas: [], failed: true };
      default:
        return isObject(event.delta) ? yield* deltaMeaning(event) : { deltas: [] };
    }
  }
  return jsonReader(anthropicCut, read);
}

const STARTED = '0/text/start/';

/** Reads content that some servers send with the message; SDKs append later blocks to it. */
function* startedMessage(message: JsonObject): Work<Meaning> {
  const found: AnswerText[] = [];
  for (const [index, block] of arrayOf(message.content).entries()) {
    yield* addBlockTexts(found, block, ['message', 'content', index]);
  }
  const deltas = yield* wholeDeltas(found, STARTED);
  return deltas.length === 0
    ? { deltas }
    : { deltas: deltas.map((delta) => ({ ...delta, joins: delta.kind })), ends: [STARTED] };
}

/** Reads a block's first text. Results of provider-run tools arrive whole. */
function* startOfMessage(event: JsonObject): Work<Meaning> {
  const found: AnswerText[] = [];
  yield* addBlockTexts(found, event.content_block, ['content_block']);
  const begun = found.filter(({ path }) => isBlockText(path));
  const whole = found.filter(({ path }) => !isBlockText(path));
  const under = `${channel('text', event)}/whole/`;
  const deltas = editable(begun).map((text) => ({
    ...text,
    channel: channel(text.kind, event),
    joins: text.kind,
  }));
  return { deltas: [...deltas, ...(yield* wholeDeltas(whole, under))], ends: [under] };
}

/** Matches `content_block.text` and `content_block.thinking`, which deltas of the block extend. */
function isBlockText([, name, ...below]: JsonPath): boolean {
  return below.length === 0 && (name === 'text' || name === 'thinking');
}

/** Members that some clients print without checking the delta's type. */
const PIECES: Readonly<Record<string, { readonly kind: AnswerText['kind'] } & PieceMarks>> = {
  text: { kind: 'text', joins: 'text' },
  thinking: { kind: 'reasoning', signed: true, joins: 'reasoning' },
  partial_json: { kind: 'tool_arguments', isJson: true },
  content: { kind: 'text' },
};

function* deltaMeaning(event: JsonObject): Work<Meaning> {
  const delta = objectOf(event.delta);
  const deltas: TextDelta[] = [];
  for (const name of Object.keys(PIECES)) {
    const text = delta[name];
    const piece = PIECES[name];
    if (piece === undefined || typeof text !== 'string' || text === '') continue;
    deltas.push({ channel: channel(piece.kind, event), ...piece, text, path: ['delta', name] });
  }
  switch (delta.type) {
    case 'signature_delta':
      // The signature covers all of the block's thinking, so no more thinking may follow it.
      return { deltas, ends: [channel('reasoning', event)] };
    case 'citations_delta': {
      const under = `${channel('text', event)}/citation/`;
      const found = yield* answerTextsIn('text', delta.citation, ['delta', 'citation']);
      return { deltas: [...deltas, ...(yield* wholeDeltas(found, under))], ends: [under] };
    }
    default:
      return { deltas };
  }
}

type PieceMarks = Pick<TextDelta, 'isJson' | 'signed' | 'joins'>;

const CHANNEL_WORD = { text: 'text', reasoning: 'reasoning', tool_arguments: 'tool' } as const;
const KINDS = ['text', 'reasoning', 'tool_arguments'] as const;

/** Names a channel by block. Anthropic streams one choice, in numbered blocks. */
function channel(kind: AnswerText['kind'], { index }: JsonObject): string {
  return `0/${CHANNEL_WORD[kind]}/${typeof index === 'number' ? index : 0}`;
}
