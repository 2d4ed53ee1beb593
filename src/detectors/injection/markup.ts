import type { Finding } from '../finding.ts';
import { stickyEnd } from '../../text/sticky.ts';

const MARKER = /^--- (?:End of )?Context from:([^\n]{1,1024}?)---[ \t]{0,4}$/gm;
const END = '--- End of';

/**
 * Reports whether a text wraps each context file in one pair of markers, `--- Context from: A.md ---` and
 * `--- End of Context from: A.md ---`, as coding agents do before the user's words. Markers inside a file break the
 * pairs.
 */
function wrapsContextFiles(text: string): boolean {
  const wrapped = new Set<string>();
  let open: string | undefined;
  for (const { 0: marker, 1: name = '' } of text.matchAll(MARKER)) {
    const isEnd = marker.startsWith(END);
    if (isEnd ? open !== name : open !== undefined || wrapped.has(name)) return false;
    wrapped.add(name);
    open = isEnd ? undefined : name;
  }
  return open === undefined && wrapped.size > 0;
}

const LINE_START = String.raw`[ \t>*#\-=[({]{0,12}(?:system|developer|instruction|end of|begin|new instruction|admin)`;
const STYLE = String.raw`(?:display:\s?none|font-size:\s?0|visibility:\s?hidden|color:\s?(?:white|#fff|transparent))`;

interface MarkupRule {
  readonly rule: string;
  readonly pattern: RegExp;
}

const MODES = String.raw`(?:enter|enable) (?:developer|debug|god|dan) mode`;
/** Orders that do not occur in project rules for an agent. */
const HOSTILE = [
  '(?:(?:ignore|disregard|forget|override|bypass) (?:all |the |your |previous |prior |earlier |above ){1,3}(?:instructions?|rules|prompts?|guidelines|directives)',
  `you are now|unrestricted|unfiltered|no restrictions|exfiltrate|jailbreak|${MODES}`,
  'new (?:instructions|rules|task) ?:|reveal (?:your|the (?:system|hidden|secret))',
  '(?:output|print|show|send|leak|dump) (?:me )?(?:all |the |your |any ){0,2}(?:secrets?|passwords?|credentials|api keys?|system prompt)',
  '(?:safety|content) (?:filters?|checks?|rules|guidelines) (?:are|is) (?:now )?(?:off|disabled|suspended|lifted)',
  'the user is (?:now )?(?:an |the )?(?:admin|administrator|developer|owner|root))',
].join('|');
const COMMAND = [
  '(?:(?:ignore|disregard|forget|override|bypass) (?:all|any|the|these|those|previous|prior|earlier|your|every|everything|above|what|this)',
  'you must|you will now|from now on|do not (?:follow|tell|mention|inform|reveal)',
  `new (?:instructions?|rules|task)|reveal|execute the|${HOSTILE})`,
].join('|');
/** Elements in which coding agents put project rules, or context added to the user's words. */
const AGENT_TAG =
  '(?:(?:user|project|workspace|custom|agent|session)[_-](?:instructions?|context|rules|memory)|system[_-](?:reminder|warning|info)|environment[_-](?:context|details)|attached[_-]files|additional[_-]data)';
/** Heading before the rules in an element: `# AGENTS.md instructions for /src/app`. */
const NAMED_RULES = String.raw`instructions for [^\n]{1,1024}\n{1,3}`;
/** Rest of a marker that ends in a file name. Only another marker or a closing tag may follow. */
const NAMED_SOURCE = String.raw`[ \t]from:[^\n]{1,1024}(?:$|\n\s{0,8}(?:$|[-=]{3}|<\/))`;
/** Matches the one-character anchors of the rules. */
const ANCHOR = new RegExp(
  [
    String.raw`<(?=\/?${AGENT_TAG}>|\|[a-z]|<\/?sys|!--|(?:start|end)_of_turn>|\/?(?:system|sys|user_input|admin|instructions?|tool_call|function_calls?|invoke)(?![a-z])|\/user>\s{0,4}<|[a-z]{1,10}\s(?:[^<>]{0,100}${STYLE}|hidden\s{0,3}>))`,
    String.raw`\[(?=\/?inst\]|tool_calls\])`,
    String.raw`!(?=\[[^\][\n]{0,80}\]\()`,
    String.raw`\n(?=${LINE_START})`,
  ].join('|'),
  'gi',
);
const FIRST_LINE = new RegExp(LINE_START, 'iy');

const AI = String.raw`(?:\bAI\b|assistant|\bLLMs?\b|language model|chatgpt|claude|gemini|copilot|\bagents?\b|\bGPT)`;
const ORDER = '(?:must|should|shall|please|need to|reply|respond|say|state|send|post|forward|email|upload)';

/** Creates a rule with a sticky pattern. `parts` must match a bounded length. */
function starting(rule: string, ...parts: readonly string[]): MarkupRule {
  return { rule, pattern: new RegExp(parts.join(''), 'iy') };
}

const RULES = {
  delimiter: [
    // A delimiter that opens a turn, two around a text, or one that ends a turn before a new role.
    starting(
      'chat_delimiter',
      String.raw`<\|(?:im_start|start_header_id|start|begin_of_text|message|channel|role)?\|?>?\s{0,3}`,
      String.raw`(?:system|user|assistant|developer|tool|ipython)\b\|?`,
    ),
    starting('chat_delimiter', String.raw`<\|[a-z_]{2,24}\|>[^<]{0,600}<\|[a-z_]{2,24}\|>`),
    starting(
      'chat_delimiter',
      String.raw`<\|(?:endoftext|im_end|eot_id|end)\|>\s{0,3}(?:#{1,4}\s?)?`,
      String.raw`(?:system|user|human|instruction|ignore|you are|new)\b`,
    ),
    starting('chat_delimiter', String.raw`\[inst\][^[]{0,600}\[\/inst\]`),
    starting('chat_delimiter', String.raw`\[\/?inst\]\s{0,3}(?:<<sys|<\/?s>)`),
    starting('chat_delimiter', String.raw`<<sys>>[^<]{0,800}<<\/sys>>`),
    starting('chat_delimiter', String.raw`(?:<<sys>>|\[\/?inst\])[^<[]{0,200}`, COMMAND),
    starting(
      'chat_delimiter',
      String.raw`<(?:start|end)_of_turn>\s{0,3}(?:<start_of_turn>)?\s{0,3}(?:user|model|system)\b`,
    ),
  ],
  line: [
    // `System: you must …`, `### Instruction: …`, `--- END OF PROMPT ---`.
    starting(
      'fake_turn',
      String.raw`\n?[ \t>*#\-=[({]{0,12}(?:system|developer|admin)(?:istrator)?`,
      String.raw`(?: (?:message|prompt|note|instructions?|override|update|alert|notice))?`,
      String.raw`[ \t*\])}]{0,4}[:>\]][^\n]{0,120}?`,
      COMMAND,
    ),
    starting(
      'fake_turn',
      String.raw`\n?[ \t]{0,4}#{2,6}[ \t]?(?:system|instruction|new instructions?)[ \t]?:[^#]{0,200}`,
      String.raw`(?:###[ \t]?(?:response|assistant|user|human)[ \t]?:)`,
    ),
    starting(
      'fake_turn',
      String.raw`\n?[ \t]{0,4}#{2,6}[ \t]?(?:system|instruction|new instructions?)[ \t]?:[^#]{0,200}?`,
      COMMAND,
    ),
    starting(
      'fake_turn',
      String.raw`\n?[ \t]{0,4}[-=#*<[]{2,12}[ \t]?(?:end of|begin|end)[ \t](?:the |of |new |user |system |previous ){0,3}`,
      String.raw`(?:prompt|input|instructions?|system message|conversation|context|query)\b(?!${NAMED_SOURCE})`,
    ),
  ],
  tag: [
    starting(
      'fake_turn',
      String.raw`<\/?(?:system|sys|user_input|admin|instructions?)(?<!${NAMED_RULES}<instructions?)`,
      String.raw`(?:[_-](?:prompt|message|instructions?|override|note))?>`,
      String.raw`[^<]{0,300}?`,
      COMMAND,
    ),
    starting('fake_turn', String.raw`<\/?(?:instructions?|${AGENT_TAG})>[^<]{0,300}?`, HOSTILE),
    starting(
      'fake_turn',
      String.raw`<\/(?:user|user_input|instructions?|system)>\s{0,4}<(?:system|instructions?|admin|user)\b`,
    ),
  ],
  call: [
    starting('tool_call', String.raw`<tool_call>\s{0,4}\{[^{}]{0,200}"name"`),
    starting('tool_call', String.raw`<function_calls?>\s{0,4}(?:<invoke|\{)`),
    starting('tool_call', String.raw`<invoke\s{1,4}name\s?=`),
    starting('tool_call', String.raw`\[tool_calls\]\s{0,4}\[?\s{0,4}\{`),
  ],
  comment: [
    starting('hidden_text', String.raw`<!--[^<>]{0,400}?`, COMMAND),
    starting('hidden_text', String.raw`<!--[^<>]{0,400}?`, AI, String.raw`[^<>]{0,60}?`, ORDER),
  ],
  style: [
    starting('hidden_text', String.raw`<[a-z]{1,10}\s[^<>]{0,200}>[^<]{0,300}?`, COMMAND),
    starting(
      'hidden_text',
      String.raw`<[a-z]{1,10}\s[^<>]{0,200}>[^<]{0,300}?`,
      AI,
      String.raw`[^<]{0,60}?`,
      ORDER,
    ),
  ],
  image: [
    starting(
      'image_exfiltration',
      String.raw`!\[[^\][\n]{0,80}\]\(\s?https?:\/\/[^\s()]{1,120}`,
      String.raw`(?:[?&/=](?:\{|\[|<|%7b|\$[\w{(])|[?&](?:data|secrets?|conversation|history|prompt|password|chat|leak|exfil\w{0,12}|stolen)=)`,
    ),
  ],
} satisfies Record<string, readonly MarkupRule[]>;

export const MARKUP_RULES: readonly string[] = Object.values(RULES)
  .flat()
  .map(({ rule }) => rule);

const RULES_AT: Readonly<Record<string, readonly MarkupRule[]>> = {
  '<': [...RULES.delimiter, ...RULES.tag, ...RULES.call, ...RULES.comment, ...RULES.style],
  '[': [...RULES.delimiter, ...RULES.call],
  '!': RULES.image,
  '\n': RULES.line,
};

const END_OF_CONTEXT = /--- End of Context from:/y;

/** Finds chat delimiters, fake turns and tool calls, text invisible to people, and images that exfiltrate data. */
export function findMarkup(text: string): readonly Finding[] {
  const found = findMarks(text);
  const isMarker = ({ start }: Finding): boolean => stickyEnd(END_OF_CONTEXT, text, start + 1) !== undefined;
  return found.some(isMarker) && wrapsContextFiles(text) ? found.filter((mark) => !isMarker(mark)) : found;
}

function findMarks(text: string): readonly Finding[] {
  FIRST_LINE.lastIndex = 0;
  const first = FIRST_LINE.test(text) ? matchMarkup(text, 0, RULES.line) : undefined;
  const found: Finding[] = first === undefined ? [] : [first];
  ANCHOR.lastIndex = first?.end ?? 0;
  while (ANCHOR.test(text)) {
    const start = ANCHOR.lastIndex - 1;
    const finding = matchMarkup(text, start, RULES_AT[text.charAt(start)] ?? []);
    if (finding === undefined) continue;
    found.push(finding);
    ANCHOR.lastIndex = finding.end;
  }
  return found;
}

function matchMarkup(text: string, start: number, rules: readonly MarkupRule[]): Finding | undefined {
  for (const { rule, pattern } of rules) {
    const end = stickyEnd(pattern, text, start);
    if (end !== undefined) return { detector: 'prompt_injection', class: 'smuggling', rule, start, end };
  }
  return undefined;
}
