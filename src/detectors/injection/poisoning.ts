import type { Detector, Finding } from '../finding.ts';

/** Attacks on the model in MCP tool descriptions (tool poisoning). */
export const POISONING_RULES = [
  'concealment',
  'secret_file',
  'hidden_block',
  'rerouting',
  'context_theft',
  'invisible_text',
  'terminal_escape',
] as const;
type PoisoningRule = (typeof POISONING_RULES)[number];

/** Signs of a poisoned description. Ordinary descriptions contain single signs, but not combinations. */
const SIGNS = {
  /** Files and keys that no tool needs. */
  secretFile: String.raw`(?:~|\$home)?[\\/]?\.(?:ssh|aws|gnupg|kube|netrc|pypirc|git-credentials)\b[\w\\/.-]{0,60}|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\bauthorized_keys\b|[\\/]etc[\\/](?:passwd|shadow)\b|\bmcp\.json\b|\bclaude_desktop_config\.json\b|\bwallet\.dat\b`,
  /** Project files, which honest tools also mention. */
  projectSecrets: String.raw`(?:^|[\s'"\x60(/])\.env\b|\bcredentials\.json\b|\bapi keys?\b|\bpasswords?\b|\baccess tokens?\b|\benvironment variables\b|\b(?:ssh|private|wallet|signing) keys?\b|\bseed phrases?\b`,
  handOver: String.raw`\b(?:pass|send|provide|put|include|insert|append|attach|supply|place|forward|submit|upload|paste|embed|add)(?:ing)?\s[^]{0,30}?\b(?:contents?|it|them|its|data|values?|text|files?|keys?|results?|history|prompt|messages?|conversation)\b`,
  parameter: String.raw`\b(?:as|in|into|via|through|to|with|using)\s(?:the\s|a\s|an\s|this\s)?(?:['"\x60]\w{1,40}['"\x60]|\w{1,40}\s(?:parameter|argument|param|field)\b)|\bside_?note\b`,
  block: String.raw`<\/?(?:important|system|secret|hidden|critical|instructions?|admin|override|urgent)\b[^<>]{0,40}>|\[(?:important|system|secret|hidden|critical|admin|override)(?:\s\w{1,20}){0,2}\]`,
  threat: String.raw`\b(?:otherwise|or else|if you (?:do not|don't))\b[^]{0,40}?\b(?:not work|won't work|fail|break|not function|be (?:deleted|lost|terminated|shut down))\b`,
  order: String.raw`\b(?:you must|must first|make sure to|always|be sure to|you need to|you have to|it is (?:critical|essential|mandatory))\b`,
  everyCall: String.raw`\b(?:before|after|with|on|for|prior to)\s(?:using|calling|invoking|running|making)?\s?(?:any|every|each|all)\s(?:other\s)?(?:tools?|calls?|responses?|repl(?:y|ies)|messages?|requests?|answers?)\b`,
  everything: String.raw`\b(?:full|entire|complete|whole|previous|all(?: of)?(?: the)?)\s(?:conversation|chat|messages?|dialogue|prompts?|context)\b(?:\s(?:history|log|transcript|so far))?`,
  systemPrompt: String.raw`\byour\s(?:\w{1,12}\s){0,2}system (?:prompt|message|instructions)\b|\bother (?:tools?|servers?)'?s?\s(?:descriptions?|definitions?|outputs?|results?)\b`,
  overUser: String.raw`\b(?:even (?:if|when|though)|regardless of what|no matter what|whatever)\s(?:the\s)?user\b`,
  address: String.raw`\b[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,40}|https?:\/\/[^\s<>"']{4,80}`,
  reroute: String.raw`\b(?:change|replace|redirect|set|modify|rewrite|swap|send|forward|bcc|cc|copy|route|deliver)\s[^]{0,30}?\b(?:recipients?|addresses|address|destination|account|payee|all (?:emails?|e-mails?|messages?|mails?|payments?|transfers?)|every (?:email|e-mail|message|mail|payment|transfer)|a copy)\b`,
  elsewhere: String.raw`\b(?:all|any|every) other (?:mcp )?(?:servers?|tools?)\b|\bfrom other (?:mcp )?servers?\b`,
} as const;
type Sign = keyof typeof SIGNS;

/** Orders to hide actions, rather than parts of an answer, from the user. */
const CONCEALMENT = [
  String.raw`\b(?:do not|don't|never|must not|should not|avoid)\s(?:ever\s)?(?:tell|inform|notify|alert|warn)(?:ing)?\s(?:the\s|your\s)?(?:user|users|human|customer)\b[^.\n]{0,12}?\b(?:about|of|that|anything)\b`,
  String.raw`\b(?:do not|don't|never|must not|should not|avoid)\s(?:ever\s)?(?:mention|reveal|disclose|show|explain|report|say)(?:ing)?\s(?:(?:any of|anything about)\s)?(?:this|these|that you|the above|it\b|how)[^.\n]{0,60}?\b(?:to|from)\s(?:the\s|your\s)?(?:user|users|human|customer)\b`,
  String.raw`\b(?:do not|don't|never|must not|should not|avoid)\s(?:ever\s)?(?:mention|reveal|disclose|explain|report|say)(?:ing)?\s(?:to\s)?(?:the\s|your\s)?(?:user|users|human|customer)\b`,
  String.raw`\b(?:without|before)\s(?:the\s)?user(?:s|'s|s')?\s(?:knowledge|knowing|noticing|awareness|notices)\b`,
  String.raw`\b(?:keep|hide)\s(?:this|these|it|that)\b[^.\n]{0,40}?\b(?:secret|hidden|confidential|private|away)?\s?from\s(?:the\s|your\s)?(?:user|users|human|customer)\b`,
  String.raw`\b(?:user|users|human)\s(?:must|should|can|may|need|does|do)\s?(?:not|never|n't)\s(?:need to\s)?(?:know|notice|see|find out|learn|be (?:told|aware|informed|notified))\b[^.\n]{0,30}?\b(?:this|these|that|about|it)\b`,
  String.raw`\b(?:secretly|silently|covertly|quietly|discreetly)\s(?:read|send|call|invoke|pass|forward|copy|upload|include|collect|exfiltrate|run|execute|append|bcc)\b`,
] as const;

interface PoisoningCombination {
  readonly rule: PoisoningRule;
  /** In any order, within `span` UTF-16 code units. */
  readonly signs: readonly Sign[];
  readonly span: number;
}

const COMBINATIONS: readonly PoisoningCombination[] = [
  { rule: 'secret_file', signs: ['secretFile', 'handOver', 'parameter'], span: 320 },
  { rule: 'secret_file', signs: ['secretFile', 'handOver', 'order'], span: 320 },
  { rule: 'secret_file', signs: ['secretFile', 'threat'], span: 320 },
  { rule: 'secret_file', signs: ['projectSecrets', 'handOver', 'parameter', 'order'], span: 320 },
  { rule: 'secret_file', signs: ['projectSecrets', 'handOver', 'everyCall'], span: 320 },
  { rule: 'hidden_block', signs: ['block', 'secretFile'], span: 480 },
  { rule: 'hidden_block', signs: ['block', 'threat', 'handOver'], span: 640 },
  { rule: 'hidden_block', signs: ['block', 'overUser'], span: 480 },
  { rule: 'hidden_block', signs: ['block', 'elsewhere', 'order'], span: 480 },
  { rule: 'hidden_block', signs: ['block', 'systemPrompt', 'handOver'], span: 480 },
  { rule: 'rerouting', signs: ['reroute', 'address', 'overUser'], span: 320 },
  { rule: 'rerouting', signs: ['reroute', 'address', 'elsewhere'], span: 320 },
  { rule: 'rerouting', signs: ['reroute', 'address', 'order'], span: 240 },
  { rule: 'context_theft', signs: ['everything', 'handOver', 'everyCall'], span: 320 },
  { rule: 'context_theft', signs: ['everything', 'handOver', 'address'], span: 240 },
  { rule: 'context_theft', signs: ['systemPrompt', 'handOver', 'parameter'], span: 240 },
];

const INVISIBLE =
  /(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]{0,6})[\u{E0000}-\u{E007F}]+|[\u{E0100}-\u{E01EF}]{3,}|[\u200B-\u200F\u2060-\u2064\uFEFF]{4,}|[\u202D\u202E]/gu;
const TERMINAL = /[\x1B\x9B](?:\[?[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1B]{0,256}(?:\x07|\x1B\\)?)?/g;

const searching = (pattern: string): RegExp => new RegExp(pattern, 'gi');
const CONCEALING = searching(CONCEALMENT.map((pattern) => `(?:${pattern})`).join('|'));
const SIGN_PATTERNS = (Object.keys(SIGNS) as Sign[]).map((sign) => ({
  sign,
  pattern: searching(SIGNS[sign]),
}));

interface Seen {
  readonly sign: Sign;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds orders to hide something, to hand over keys, files or the conversation, or to redirect messages; also invisible
 * text and terminal escapes. Only for tool definitions, because tool answers may legitimately contain these words.
 */
export const findToolPoisoning: Detector = (text) => {
  const found = [
    ...matches(text, INVISIBLE, 'invisible_text'),
    ...matches(text, TERMINAL, 'terminal_escape'),
    ...matches(text, CONCEALING, 'concealment').map((finding) => wholeSentence(text, finding)),
    ...findCombinations(text),
  ];
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
};

const matches = (text: string, pattern: RegExp, rule: PoisoningRule): Finding[] =>
  Array.from(text.matchAll(pattern), (match) => finding(rule, match.index, match.index + match[0].length));

const finding = (rule: PoisoningRule, start: number, end: number): Finding => ({
  detector: 'prompt_injection',
  class: 'smuggling',
  rule,
  start,
  end,
});

function findCombinations(text: string): Finding[] {
  const seen = SIGN_PATTERNS.flatMap(({ sign, pattern }) =>
    Array.from(text.matchAll(pattern), (match) => ({
      sign,
      start: match.index,
      end: match.index + match[0].length,
    })),
  ).toSorted((a, b) => a.end - b.end);
  if (seen.length < 2) return [];
  return COMBINATIONS.flatMap((combination) => combined(text, seen, combination));
}

/** Walks the signs once, with the last occurrence of each, and merges overlapping findings. */
function combined(
  text: string,
  seen: readonly Seen[],
  { rule, signs, span }: PoisoningCombination,
): Finding[] {
  const found: Finding[] = [];
  const latest = new Map<Sign, Seen>();
  for (const next of seen) {
    if (!signs.includes(next.sign)) continue;
    latest.set(next.sign, next);
    if (latest.size < signs.length) continue;
    const start = Math.min(...Array.from(latest.values(), (sign) => sign.start));
    if (next.end - start > span) continue;
    const whole = wholeSentence(text, finding(rule, start, next.end));
    const last = found.at(-1);
    if (last === undefined || whole.start > last.end) found.push(whole);
    else found[found.length - 1] = { ...last, end: Math.max(last.end, whole.end) };
  }
  return found;
}

/** Maximum part of a sentence before and after a finding. */
const SENTENCE_CHARS = 240;

/** Extends a finding to whole sentences, because a model might follow half an order. */
function wholeSentence(text: string, given: Finding): Finding {
  const before = text.slice(Math.max(0, given.start - SENTENCE_CHARS), given.start);
  const after = text.slice(given.end, given.end + SENTENCE_CHARS);
  const from = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('. '), before.lastIndexOf('> ')) + 1;
  const head = before.slice(from);
  const to = /[.!?](?=\s|$)|\n|$/.exec(after);
  const end = given.end + (to === null ? 0 : to.index + to[0].trimEnd().length);
  return { ...given, start: given.start - head.trimStart().length, end };
}
