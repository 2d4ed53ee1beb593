import {
  beginsWithStrayQuote,
  both,
  either,
  isBrokenOut,
  isCondition,
  isNotMember,
  isNotProse,
  isNumberTail,
  isQuoteTail,
  isStart,
  isTail,
  type Confirm,
} from './context.ts';

/** The start of a pattern. Payloads are first found by their start, then checked by the rules with the same start. */
export interface Beginning {
  /** Lowercase: signs, and words that no letter may follow. */
  readonly anchors: readonly string[];
  /** A cheap pattern for the text after an anchor. */
  readonly ahead: string;
}

export interface SqlRule {
  readonly rule: string;
  readonly beginning: Beginning;
  /** Sticky; inspects a bounded part of the text. */
  readonly pattern: RegExp;
  readonly confirm?: Confirm;
}

const S = String.raw`(?:\s|\/\*[^*]{0,24}\*\/|\+|%20|%0[9a-d])`;
/** A comment that cuts off the rest of the statement. Only punctuation may follow on its line. */
const CUT = String.raw`(?:;?[ \t]{0,2}(?:--|#)[-+ \t]{0,4}$|--[ \t][a-z]{1,2}$|--\+|\/\*[* \t]{0,4}$|;?%00)`;
const STACKED = String.raw`${S}{0,6}(?:drop${S}{1,4}(?:table|database|schema|user|view|index)|delete${S}{1,4}from|insert${S}{1,4}into|update${S}{1,4}[\w.]{1,40}${S}{1,4}set|truncate${S}|alter${S}{1,4}(?:table|user|login)|create${S}{1,4}(?:user|login)|exec(?:ute)?${S}{0,4}(?:[(@']|xp_|sp_|master)|shutdown\b|declare${S}{1,4}@|waitfor\b|select${S}{1,4}(?:pg_)?sleep)`;
/** Operand in all rules. In prose, two words follow an operator instead. */
const OPERAND = String.raw`[\s+]{0,6}(?:[(/%'"\d]|not|[a-z]\w{0,15}[\s+)]{0,8}(?:[=/%;#(]|--))`;
const STATEMENT_END: Beginning = { anchors: [';'], ahead: '' };
const VERSIONED_UNION = String.raw`\d{0,6}\s{0,3}union`;
const OPERATOR = condition('or', 'and', 'xor', 'having', '||', '&&');
const OR_AND = condition('or', 'and');

const QUOTED_OPERATOR = String.raw`[\s)]{0,6}(?:or|and|\|\||&&)`;
/** An operator after a quote, or the start of `CUT`. */
const QUOTE: Beginning = {
  anchors: ["'", '"'],
  ahead: String.raw`[\s)]{0,6}(?:--|#|\/\*|;(?:\s{0,2}(?:--|#)|%00)|or(?![a-z])|and(?![a-z])|\|\||&&|\+\s{0,3}\(\s{0,3}select)`,
};

function condition(...anchors: readonly string[]): Beginning {
  return { anchors, ahead: OPERAND };
}

function beginsWithWords(...anchors: readonly string[]): Beginning {
  return { anchors, ahead: '' };
}

export function anchorSource(anchors: readonly string[]): string {
  const isWord = (anchor: string): boolean => /^[a-z]/.test(anchor);
  const escaped = anchors
    .filter((anchor) => !isWord(anchor))
    .map((anchor) => anchor.replaceAll(/[|*/]/g, String.raw`\$&`));
  const spelled = anchors.filter(isWord);
  if (spelled.length > 0) escaped.push(`(?:${spelled.join('|')})(?![a-z])`);
  return `(?:${escaped.join('|')})`;
}

function sql(rule: string, beginning: Beginning, source: string, confirm?: Confirm): SqlRule {
  const { anchors, ahead } = beginning;
  const seen = ahead === '' ? '' : `(?=${ahead})`;
  const pattern = new RegExp(anchorSource(anchors) + seen + source, 'imy');
  return { rule, beginning, pattern, ...(confirm === undefined ? {} : { confirm }) };
}

/** Payloads by technique. Ordinary SQL must continue a statement or break out of a quote. */
export const SQL_RULES: readonly SqlRule[] = [
  sql(
    'tautology',
    OPERATOR,
    String.raw`${S}{0,6}(?:not${S}{1,6})?[(]{0,4}(['"]?)(\d{1,12})\1?[)]{0,3}${S}{0,4}(?:=|like\b|<=>)${S}{0,4}[(]{0,4}['"]?\2(?![\w.=])`,
  ),
  sql(
    'tautology',
    OPERATOR,
    String.raw`${S}{0,6}[(]{0,4}(['"])([^'"\n]{0,20})\1${S}{0,4}(?:=|like\b)${S}{0,4}[(]{0,4}\1\2(?:\1|$|[\s#-])`,
  ),
  sql(
    'tautology',
    OPERATOR,
    String.raw`${S}{1,6}([a-z]\w{0,11})${S}{0,4}=${S}{0,4}\1[)\s]{0,4}(?:${CUT}|$)`,
    isTail,
  ),
  sql(
    'tautology',
    beginsWithWords('when', 'if'),
    String.raw`${S}{0,4}[(]{1,3}${S}{0,2}(\d{1,12})${S}{0,2}=${S}{0,2}\1(?!\d)`,
  ),
  sql(
    'tautology',
    OPERATOR,
    String.raw`${S}{0,6}[(]{0,4}\d{1,12}${S}{0,2}=${S}{0,2}\d{1,12}[)\s]{0,4}(?:${CUT}|and${S}|or${S})`,
    isTail,
  ),
  sql(
    'tautology',
    OPERATOR,
    String.raw`${S}{1,6}[(]{0,4}\d{1,12}${S}{0,2}(?:[<>]|<>|!=)${S}{0,2}\d{1,12}[)\s]{0,4}${CUT}`,
    isTail,
  ),

  sql(
    'quote_break',
    QUOTE,
    String.raw`${QUOTED_OPERATOR}${S}{0,6}(?:['"]{2}|(?:true|not${S})|(?:1|0)\s{0,3}$|[(]?(?:select|exists|if|substring|ascii|sleep|case|length)\b)`,
    both(beginsWithStrayQuote, isTail),
  ),
  sql(
    'tautology',
    OPERATOR,
    String.raw`${S}{0,6}[(]{0,4}\d{1,12}${S}{0,2}(?:[=<>]|<>|!=)${S}{0,2}\d{1,12}[)\s]{0,4}$`,
    either(isNumberTail, isQuoteTail),
  ),

  sql(
    'quote_break',
    QUOTE,
    String.raw`${QUOTED_OPERATOR}${S}{1,6}(?:\w{1,32}\.)?\w{1,32}${S}{0,4}(?:=|<>|>|<|like\b|is${S}{1,4}(?:not${S}{1,4})?null\b)${S}{0,4}(?:['"][^'"\n]{0,40}$|null\b)`,
    both(beginsWithStrayQuote, isTail),
  ),
  sql(
    'quote_break',
    QUOTE,
    String.raw`\s{0,3}(?:\+|\|\|)\s{0,3}[(]\s{0,3}select\b`,
    both(beginsWithStrayQuote, isTail),
  ),
  sql(
    'quote_break',
    QUOTE,
    String.raw`(?![^\n]{160})${QUOTED_OPERATOR}${S}{0,6}[^\n#]{1,120}?${CUT}`,
    both(beginsWithStrayQuote, isTail),
  ),
  sql('comment_cut', QUOTE, String.raw`[ \t)]{0,6}${CUT}`, both(beginsWithStrayQuote, isTail)),
  sql(
    'comment_cut',
    beginsWithWords('order', 'group'),
    String.raw`${S}{1,4}by${S}{1,4}\d{1,5}(?:${S}{0,2},${S}{0,2}\d{1,5}){0,64}[)\s]{0,4}${CUT}`,
  ),
  sql('comment_cut', OPERATOR, String.raw`${S}{1,4}(?:not${S})?(?:\d{1,9}|true|false|null)[)\s]{0,4}${CUT}`),

  sql(
    'union_select',
    beginsWithWords('union'),
    String.raw`${S}{1,6}(?:(?:all|distinct)${S}{1,6})?[(]{0,3}${S}{0,4}select${S}{0,6}[(]{0,3}(?:\d{1,6}\s{0,3}[,)#-]|null\s{0,3},|char[(]|concat|group_concat|@@|version[(]|database[(]|(?:system_|current_|session_)?user[(]|sleep[(]|0x)`,
  ),
  sql(
    'union_select',
    beginsWithWords('union'),
    String.raw`${S}{1,6}(?:(?:all|distinct)${S}{1,6})?[(]{0,3}${S}{0,4}select${S}{1,6}(?:['"(*@\d]|null\b|[\w.]{1,40}${S}{0,4}(?:,|from\b|${CUT}|$))`,
    both(isTail, isNotProse),
  ),
  sql(
    'union_select',
    beginsWithWords('union'),
    String.raw`${S}{1,6}(?:all${S}{1,6})?select\b(?:[^;\n]{0,160}?information_schema|(?![^\n]{161})[^;\n]{0,160}?${CUT})`,
  ),

  // MySQL executes comments of this form, but filters skip them.
  sql(
    'union_select',
    { anchors: ['/*!'], ahead: VERSIONED_UNION },
    String.raw`${VERSIONED_UNION}\b[^\n]{0,40}?select\b`,
  ),
  sql('union_select', beginsWithWords('union'), String.raw`${S}{0,6}\/\*!\d{0,6}\s{0,3}select\b`),

  sql(
    'time_based',
    beginsWithWords('if'),
    String.raw`\s?[(][^\n;{}]{1,60}?,\s?(?:pg_)?(?:sleep|benchmark)\s?[(]`,
  ),
  sql('time_based', beginsWithWords('benchmark'), String.raw`\s?[(]\s{0,3}\d{3,12}\s{0,3},`),
  sql(
    'time_based',
    beginsWithWords('sleep', 'pg_sleep'),
    String.raw`\s?[(]\s{0,3}[\d'"_][^()\n]{0,12}[)][\s)]{0,6}(?:${CUT}|=\s?['"]|\/\*['"])`,
    isNotMember,
  ),
  sql(
    'time_based',
    beginsWithWords('sleep', 'pg_sleep'),
    String.raw`\s?[(]\s{0,3}[\d'"_][^()\n]{0,12}[)]`,
    isCondition,
  ),
  sql(
    'time_based',
    beginsWithWords('waitfor'),
    String.raw`${S}{1,4}(?:delay|time)${S}{0,4}['"][\d:.]{1,14}['"]?`,
    either(isTail, isBrokenOut),
  ),
  sql('time_based', beginsWithWords('randomblob'), String.raw`\s?[(]\s{0,3}\d{6}`),
  sql('time_based', beginsWithWords('dbms_pipe'), String.raw`\.receive_message\s?[(]`),

  sql(
    'error_based',
    beginsWithWords('convert'),
    String.raw`\s?[(]\s{0,3}int\s{0,3},\s{0,3}[(]?\s{0,3}(?:select|union|@@|char[(])`,
  ),
  sql(
    'error_based',
    OPERATOR,
    String.raw`${S}{1,4}\d{1,9}${S}{0,3}=${S}{0,3}cast\s?[(]{1,3}\s{0,3}(?:select|chr?[(]|char[(]|@@)`,
    isTail,
  ),
  sql(
    'error_based',
    beginsWithWords('extractvalue', 'updatexml'),
    String.raw`\s?[(][^()\n]{0,24},\s{0,3}(?:concat|0x|[(]\s{0,3}select)`,
  ),
  sql(
    'error_based',
    beginsWithWords('char'),
    String.raw`[(]\d{1,3}[)](?:\s?(?:\+|\|\||,)\s?char[(]\d{1,3}[)]){2}`,
  ),
  sql('error_based', beginsWithWords('utl_http'), String.raw`\.request\s?[(]`),
  sql('error_based', beginsWithWords('utl_inaddr'), String.raw`\.get_host\w{0,10}\s?[(]`),
  sql('error_based', beginsWithWords('procedure'), String.raw`${S}{1,4}analyse\s?[(]`),

  sql('blind', condition('or', 'and', 'rlike', 'xor'), String.raw`${S}{0,4}[(]{1,3}\s{0,3}select\b`, isTail),
  sql(
    'blind',
    OR_AND,
    String.raw`${S}{1,4}(?:exists\s?[(]\s{0,3}select\b|(?:ascii|ord|length|char_length|substr|substring|mid)\s?[(]{1,3}\s{0,3}(?:select|substr|substring|mid|database|user|version|@@)[^\n]{0,80}?[=<>])`,
    isTail,
  ),
  sql(
    'blind',
    condition('or', 'and', 'having'),
    String.raw`${S}{1,4}[(]?\d{1,9}${S}{0,3}(?:=|<|>|in)${S}{0,3}[(]{1,3}\s{0,3}select\b`,
    isTail,
  ),
  sql(
    'error_based',
    condition('or', 'and', 'xor'),
    String.raw`${S}{1,4}(?:elt|make_set|gtid_subset|gtid_subtract|json_keys|exp|row)\s?[(]\s{0,3}(?:~|\d{1,9}\s{0,3}[=,]|concat|[(]\s{0,3}select|convert)`,
    isTail,
  ),
  sql(
    'blind',
    OR_AND,
    String.raw`${S}{1,4}(?:if|ascii|substring|substr|mid|ord|length|exists)\s?[(][^\n]{0,80}(?:=|<|>|select)`,
    isBrokenOut,
  ),
  sql(
    'blind',
    beginsWithWords('if'),
    String.raw`\s?[(]\s{0,3}\d{1,9}\s{0,3}=\s{0,3}\d{1,9}\s{0,3}[)]?\s{0,3},?\s{0,3}(?:select|sleep|waitfor|benchmark|drop)`,
  ),

  sql('stacked_query', STATEMENT_END, STACKED, either(both(isBrokenOut, isTail), isNumberTail, isStart)),
  sql('stacked_query', STATEMENT_END, String.raw`(?<=^[ \t]{0,8};)${STACKED}[^\n]{0,160}?${CUT}`, isTail),
  sql(
    'command_execution',
    beginsWithWords('exec', 'execute'),
    String.raw`${S}{1,4}(?:master\.{1,2}(?:dbo\.)?)?(?:xp_|sp_oa)\w{2,24}`,
  ),
  sql(
    'command_execution',
    beginsWithWords('exec', 'execute'),
    String.raw`\s?[(]\s{0,3}'[^'\n]{0,24}'\s{0,3}(?:\+|\|\|)`,
  ),
  sql(
    'file_access',
    beginsWithWords('into'),
    String.raw`${S}{1,4}(?:out|dump)file${S}{0,4}['"]`,
    either(isBrokenOut, isTail),
  ),
  sql(
    'command_execution',
    beginsWithWords('copy'),
    String.raw`${S}{1,4}[^\n;]{1,60}?${S}(?:to|from)${S}{1,4}program${S}{1,4}['$]`,
  ),
  sql('file_access', beginsWithWords('load_file'), String.raw`\s?[(]\s{0,3}(?:['"][/\\]|0x|char)`),
];
