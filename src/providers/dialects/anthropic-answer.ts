import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { AnswerText, TextDelta, Usage } from '../dialect.ts';
import { answerReaders, type EventReading, jsonReader } from './answer-reader.ts';
import { anthropicCut } from './error-frames.ts';
import { arrayOf, cacheApart, objectOf, tokenCount } from './fields.ts';
import { eachIn, type Marks, type Places, stringsIn, textIn } from './places.ts';

export const anthropicAnswers = answerReaders(
  (message) => ({
    usage: readUsage(objectOf(message.usage)),
    places: eachIn(message, 'content', [], (block, path) => blockPlaces(block, path)),
    joinedName,
  }),
  createMessageReader,
);

/** Joins text blocks, and thinking blocks, because citations and tools split an answer's text into blocks. */
function joinedName({ kind, path: [, , name, ...below] }: AnswerText): string | undefined {
  return below.length === 0 && (name === 'text' || name === 'thinking') ? kind : undefined;
}

/** Returns the marks of a text in a block. `isBegun` is true for the block's own text, which deltas continue. */
type MarksOf = (kind: AnswerText['kind'], isBegun: boolean) => Marks | undefined;

function blockPlaces(block: unknown, path: JsonPath, marksOf: MarksOf = () => undefined): Places {
  if (!isObject(block)) return [];
  switch (block.type) {
    case 'text':
      return [
        textIn('text', block, 'text', path, marksOf('text', true)),
        stringsIn('text', block, 'citations', path, marksOf('text', false)),
      ];
    case 'thinking': {
      const isSigned = typeof block.signature === 'string' && block.signature !== '';
      const marks = { ...marksOf('reasoning', true), ...(isSigned && { signed: true as const }) };
      return textIn('reasoning', block, 'thinking', path, marks);
    }
    case 'redacted_thinking':
      return [];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return stringsIn('tool_arguments', block, 'input', path, marksOf('tool_arguments', false));
    default: {
      const begun = ['text', 'thinking'].filter((name) => typeof block[name] === 'string');
      const rest = Object.fromEntries(Object.entries(block).filter(([name]) => !begun.includes(name)));
      return [
        begun.map((name) => textIn('text', block, name, path, marksOf('text', true))),
        { kind: 'text', value: rest, path, ...marksOf('text', false) },
      ];
    }
  }
}

/** Iteration types that the top-level counts exclude. */
const BILLED_SEPARATELY: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message']);

/** Anthropic's `input_tokens` excludes cache reads and writes. */
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

/** Usage arrives in parts: input at `message_start`, cumulative output (and sometimes input) at `message_delta`. */
function createMessageReader() {
  let latest: JsonObject = {};
  function merge(usage: unknown): Pick<EventReading, 'usage'> {
    if (!isObject(usage)) return {};
    latest = {
      ...latest,
      ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)),
    };
    const merged = readUsage(latest);
    return merged === undefined ? {} : { usage: merged };
  }
  return jsonReader(anthropicCut, (event): EventReading => {
    switch (event.type) {
      case 'message_start': {
        const message = objectOf(event.message);
        return { places: startedMessage(message), ...merge(message.usage) };
      }
      case 'message_delta':
        return { places: { ends: '*' }, ...merge(event.usage) };
      case 'content_block_start':
        return { places: startedBlock(event) };
      case 'content_block_delta':
        return { places: deltaPlaces(event) };
      case 'content_block_stop':
        return {
          places: KINDS.flatMap((kind) => [
            { ends: channel(kind, event) },
            { ends: `${channel(kind, event)}/` },
          ]),
        };
      case 'message_stop':
        return { places: { ends: '*' }, done: true };
      case 'error':
        return { failed: true };
      default:
        return { places: isObject(event.delta) ? deltaPlaces(event) : [] };
    }
  });
}

const STARTED = '0/text/start/';

/** Reads content that some servers send in `message_start`. SDKs append later blocks to it. */
function startedMessage(message: JsonObject): Places {
  const blocks = eachIn(message, 'content', ['message'], (block, path) =>
    blockPlaces(block, path, (kind) => ({ under: STARTED, joins: kind })),
  );
  return [blocks, ({ texts }) => (texts.length > 0 ? { ends: STARTED } : [])];
}

/** Reads a block's first text, which later deltas extend. Results of provider-run tools arrive whole. */
function startedBlock(event: JsonObject): Places {
  const under = `${channel('text', event)}/whole/`;
  const places = blockPlaces(event.content_block, ['content_block'], (kind, isBegun) =>
    isBegun ? { channel: channel(kind, event), joins: kind } : { under },
  );
  return [places, { ends: under }];
}

/** Members that some clients print without checking the delta's type. */
const PIECES: readonly (readonly [name: string, kind: AnswerText['kind'], marks: PieceMarks])[] = [
  ['text', 'text', { joins: 'text' }],
  ['thinking', 'reasoning', { signed: true, joins: 'reasoning' }],
  ['partial_json', 'tool_arguments', { isJson: true }],
  ['content', 'text', {}],
];

type PieceMarks = Pick<TextDelta, 'isJson' | 'signed' | 'joins'>;

function deltaPlaces(event: JsonObject): Places {
  const delta = objectOf(event.delta);
  const pieces = PIECES.map(([name, kind, marks]) =>
    delta[name] === undefined
      ? []
      : textIn(kind, delta, name, ['delta'], { channel: channel(kind, event), ...marks }),
  );
  switch (delta.type) {
    case 'signature_delta':
      // The signature covers all of the block's thinking, so no more thinking may follow it.
      return [pieces, { ends: channel('reasoning', event) }];
    case 'citations_delta': {
      const under = `${channel('text', event)}/citation/`;
      return [pieces, stringsIn('text', delta, 'citation', ['delta'], { under }), { ends: under }];
    }
    default:
      return pieces;
  }
}

const CHANNEL_WORD = { text: 'text', reasoning: 'reasoning', tool_arguments: 'tool' } as const;
const KINDS = ['text', 'reasoning', 'tool_arguments'] as const;

/** Returns a channel name by block index. Anthropic streams a single choice. */
function channel(kind: AnswerText['kind'], { index }: JsonObject): string {
  return `0/${CHANNEL_WORD[kind]}/${typeof index === 'number' ? index : 0}`;
}
