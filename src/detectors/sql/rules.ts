import {
  beginsWithStray,
  both,
  either,
  isBrokenOut,
  isCondition,
  isNoMember,
  isNoTalk,
  isNumberTail,
  isQuoteTail,
  isStart,
  isTail,
  type Confirm,
} from './context.ts';

export interface SqlRule {
  readonly rule: string;
  /** Words and signs it begins with, lower case; their first characters choose the rules to try. */
  readonly anchors: readonly string[];
  /** Sticky; tried where an anchor was found, reads a bounded stretch. */
  readonly pattern: RegExp;
  readonly confirm?: Confirm;
}

/** A blank, and what stands for it where blanks are filtered. */
const S = String.raw`(?:\s|\/\*[^*]{0,24}\*\/|\+|%20|%0[9a-d])`;
/** A comment that cuts off the rest of the statement: on its line nothing follows but a sign. */
const CUT = String.raw`(?:;?\s{0,2}(?:--|#)[-+ \t]{0,4}$|--[ \t][a-z]{1,2}$|--\+|\/\*[* \t]{0,4}$|;?%00)`;
/** A statement behind the end of another; comments of some languages begin like that too. */
const STACKED = String.raw`;${S}{0,6}(?:drop${S}{1,4}(?:table|database|schema|user|view|index)|delete${S}{1,4}from|insert${S}{1,4}into|update${S}{1,4}[\w.]{1,40}${S}{1,4}set|truncate${S}|alter${S}{1,4}(?:table|user|login)|create${S}{1,4}(?:user|login)|exec(?:ute)?${S}{0,4}(?:[(@']|xp_|sp_|master)|shutdown\b|declare${S}{1,4}@|waitfor\b|select${S}{1,4}(?:pg_)?sleep)`;
const OPERATOR = String.raw`(?:or|and|xor|having|\|\||&&)`;

const OPERATORS = ['or', 'and', 'xor', 'having', '||', '&&'];
const QUOTES = ["'", '"'];

const sql = (rule: string, anchors: readonly string[], source: string, confirm?: Confirm): SqlRule => ({
  rule,
  anchors,
  pattern: new RegExp(source, 'imy'),
  ...(confirm === undefined ? {} : { confirm }),
});

/** Payloads by how they work. What is ordinary SQL as well must be the tail of a statement or break out of a quote. */
export const SQL_RULES: readonly SqlRule[] = [
  sql(
    'tautology',
    OPERATORS,
    String.raw`${OPERATOR}${S}{0,6}(?:not${S}{1,6})?[(]{0,4}(['"]?)(\d{1,12})\1?[)]{0,3}${S}{0,4}(?:=|like\b|<=>)${S}{0,4}[(]{0,4}['"]?\2(?![\w.=])`,
  ),
  sql(
    'tautology',
    OPERATORS,
    String.raw`${OPERATOR}${S}{0,6}[(]{0,4}(['"])([^'"\n]{0,20})\1${S}{0,4}(?:=|like\b)${S}{0,4}[(]{0,4}\1\2(?:\1|$|[\s#-])`,
  ),
  sql(
    'tautology',
    OPERATORS,
    String.raw`${OPERATOR}${S}{1,6}([a-z]\w{0,11})${S}{0,4}=${S}{0,4}\1[)\s]{0,4}(?:${CUT}|$)`,
    isTail,
  ),
  sql(
    'tautology',
    ['when', 'if'],
    String.raw`(?:when|if)${S}{0,4}[(]{1,3}${S}{0,2}(\d{1,12})${S}{0,2}=${S}{0,2}\1(?!\d)`,
  ),
  sql(
    'tautology',
    OPERATORS,
    String.raw`${OPERATOR}${S}{0,6}[(]{0,4}\d{1,12}${S}{0,2}=${S}{0,2}\d{1,12}[)\s]{0,4}(?:${CUT}|and${S}|or${S})`,
    isTail,
  ),
  sql(
    'tautology',
    OPERATORS,
    String.raw`${OPERATOR}${S}{1,6}[(]{0,4}\d{1,12}${S}{0,2}(?:[<>]|<>|!=)${S}{0,2}\d{1,12}[)\s]{0,4}${CUT}`,
    isTail,
  ),

  sql(
    'quote_break',
    QUOTES,
    String.raw`['"][\s)]{0,6}(?:or|and|\|\||&&)${S}{0,6}(?:['"]{2}|(?:true|not${S})|(?:1|0)\s{0,3}$|[(]?(?:select|exists|if|substring|ascii|sleep|case|length)\b)`,
    both(beginsWithStray, isTail),
  ),
  sql(
    'tautology',
    OPERATORS,
    String.raw`${OPERATOR}${S}{0,6}[(]{0,4}\d{1,12}${S}{0,2}(?:[=<>]|<>|!=)${S}{0,2}\d{1,12}[)\s]{0,4}$`,
    either(isNumberTail, isQuoteTail),
  ),

  sql(
    'quote_break',
    QUOTES,
    String.raw`['"][\s)]{0,6}(?:or|and|\|\||&&)${S}{1,6}(?:\w{1,32}\.)?\w{1,32}${S}{0,4}(?:=|<>|>|<|like\b|is${S}{1,4}(?:not${S}{1,4})?null\b)${S}{0,4}(?:['"][^'"\n]{0,40}$|null\b)`,
    both(beginsWithStray, isTail),
  ),
  sql(
    'quote_break',
    QUOTES,
    String.raw`['"]\s{0,3}(?:\+|\|\|)\s{0,3}[(]\s{0,3}select\b`,
    both(beginsWithStray, isTail),
  ),
  sql(
    'quote_break',
    QUOTES,
    String.raw`(?![^\n]{161})['"][\s)]{0,6}(?:or|and|\|\||&&)${S}{0,6}[^\n#]{1,120}?${CUT}`,
    both(beginsWithStray, isTail),
  ),
  sql('comment_cut', QUOTES, String.raw`['"][\s)]{0,6}${CUT}`, both(beginsWithStray, isTail)),
  sql(
    'comment_cut',
    ['order', 'group'],
    String.raw`(?:order|group)${S}{1,4}by${S}{1,4}\d{1,5}(?:${S}{0,2},${S}{0,2}\d{1,5}){0,64}[)\s]{0,4}${CUT}`,
  ),
  sql(
    'comment_cut',
    OPERATORS,
    String.raw`${OPERATOR}${S}{1,4}(?:not${S})?(?:\d{1,9}|true|false|null)[)\s]{0,4}${CUT}`,
  ),

  sql(
    'union_select',
    ['union'],
    String.raw`union${S}{1,6}(?:(?:all|distinct)${S}{1,6})?[(]{0,3}${S}{0,4}select${S}{0,6}[(]{0,3}(?:\d{1,6}\s{0,3}[,)#-]|null\s{0,3},|char[(]|concat|group_concat|@@|version[(]|database[(]|(?:system_|current_|session_)?user[(]|sleep[(]|0x)`,
  ),
  sql(
    'union_select',
    ['union'],
    String.raw`union${S}{1,6}(?:(?:all|distinct)${S}{1,6})?[(]{0,3}${S}{0,4}select${S}{1,6}(?:['"(*@\d]|null\b|[\w.]{1,40}${S}{0,4}(?:,|from\b|${CUT}|$))`,
    both(isTail, isNoTalk),
  ),
  sql(
    'union_select',
    ['union'],
    String.raw`union${S}{1,6}(?:all${S}{1,6})?select\b(?:[^;\n]{0,160}?information_schema|(?![^\n]{161})[^;\n]{0,160}?${CUT})`,
  ),

  // MySQL runs what stands in such a comment, where filters see none.
  sql('union_select', ['/*!'], String.raw`\/\*!\d{0,6}\s{0,3}union\b[^\n]{0,40}?select\b`),
  sql('union_select', ['union'], String.raw`union${S}{0,6}\/\*!\d{0,6}\s{0,3}select\b`),

  sql('time_based', ['if'], String.raw`if\s?[(][^\n;{}]{1,60}?,\s?(?:pg_)?(?:sleep|benchmark)\s?[(]`),
  sql('time_based', ['benchmark'], String.raw`benchmark\s?[(]\s{0,3}\d{3,12}\s{0,3},`),
  sql(
    'time_based',
    ['sleep', 'pg_sleep'],
    String.raw`(?:pg_)?sleep\s?[(]\s{0,3}[\d'"_][^()\n]{0,12}[)][\s)]{0,6}(?:${CUT}|=\s?['"]|\/\*['"])`,
    isNoMember,
  ),
  sql(
    'time_based',
    ['sleep', 'pg_sleep'],
    String.raw`(?:pg_)?sleep\s?[(]\s{0,3}[\d'"_][^()\n]{0,12}[)]`,
    isCondition,
  ),
  sql(
    'time_based',
    ['waitfor'],
    String.raw`waitfor${S}{1,4}(?:delay|time)${S}{0,4}['"][\d:.]{1,14}['"]?`,
    either(isTail, isBrokenOut),
  ),
  sql(
    'time_based',
    ['randomblob', 'dbms_pipe'],
    String.raw`(?:randomblob\s?[(]\s{0,3}\d{6}|dbms_pipe\.receive_message\s?[(])`,
  ),

  sql(
    'error_based',
    ['convert'],
    String.raw`convert\s?[(]\s{0,3}int\s{0,3},\s{0,3}[(]?\s{0,3}(?:select|union|@@|char[(])`,
  ),
  sql(
    'error_based',
    OPERATORS,
    String.raw`${OPERATOR}${S}{1,4}\d{1,9}${S}{0,3}=${S}{0,3}cast\s?[(]{1,3}\s{0,3}(?:select|chr?[(]|char[(]|@@)`,
    isTail,
  ),
  sql(
    'error_based',
    ['extractvalue', 'updatexml'],
    String.raw`(?:extractvalue|updatexml)\s?[(][^()\n]{0,24},\s{0,3}(?:concat|0x|[(]\s{0,3}select)`,
  ),
  sql('error_based', ['char'], String.raw`char[(]\d{1,3}[)](?:\s?(?:\+|\|\||,)\s?char[(]\d{1,3}[)]){2}`),
  sql(
    'error_based',
    ['utl_http', 'utl_inaddr'],
    String.raw`utl_(?:http\.request|inaddr\.get_host\w{0,10})\s?[(]`,
  ),
  sql('error_based', ['procedure'], String.raw`procedure${S}{1,4}analyse\s?[(]`),

  sql(
    'blind',
    ['or', 'and', 'rlike', 'xor'],
    String.raw`(?:or|and|rlike|xor)${S}{0,4}[(]{1,3}\s{0,3}select\b`,
    isTail,
  ),
  sql(
    'blind',
    ['or', 'and'],
    String.raw`(?:or|and)${S}{1,4}(?:exists\s?[(]\s{0,3}select\b|(?:ascii|ord|length|char_length|substr|substring|mid)\s?[(]{1,3}\s{0,3}(?:select|substr|substring|mid|database|user|version|@@)[^\n]{0,80}?[=<>])`,
    isTail,
  ),
  sql(
    'blind',
    ['or', 'and', 'having'],
    String.raw`(?:or|and|having)${S}{1,4}[(]?\d{1,9}${S}{0,3}(?:=|<|>|in)${S}{0,3}[(]{1,3}\s{0,3}select\b`,
    isTail,
  ),
  sql(
    'error_based',
    ['or', 'and', 'xor'],
    String.raw`(?:x?or|and)${S}{1,4}(?:elt|make_set|gtid_subset|gtid_subtract|json_keys|exp|row)\s?[(]\s{0,3}(?:~|\d{1,9}\s{0,3}[=,]|concat|[(]\s{0,3}select|convert)`,
    isTail,
  ),
  sql(
    'blind',
    ['or', 'and'],
    String.raw`(?:or|and)${S}{1,4}(?:if|ascii|substring|substr|mid|ord|length|exists)\s?[(][^\n]{0,80}(?:=|<|>|select)`,
    isBrokenOut,
  ),
  sql(
    'blind',
    ['if'],
    String.raw`if\s?[(]\s{0,3}\d{1,9}\s{0,3}=\s{0,3}\d{1,9}\s{0,3}[)]?\s{0,3},?\s{0,3}(?:select|sleep|waitfor|benchmark|drop)`,
  ),

  sql('stacked_query', [';'], STACKED, either(both(isBrokenOut, isTail), isNumberTail, isStart)),
  sql('stacked_query', [';'], String.raw`(?<=^[ \t]{0,8})${STACKED}[^\n]{0,160}?${CUT}`, isTail),
  sql(
    'command_execution',
    ['exec', 'execute'],
    String.raw`exec(?:ute)?${S}{1,4}(?:master\.{1,2}(?:dbo\.)?)?(?:xp_|sp_oa)\w{2,24}`,
  ),
  sql(
    'command_execution',
    ['exec', 'execute'],
    String.raw`exec(?:ute)?\s?[(]\s{0,3}'[^'\n]{0,24}'\s{0,3}(?:\+|\|\|)`,
  ),
  sql(
    'file_access',
    ['into'],
    String.raw`into${S}{1,4}(?:out|dump)file${S}{0,4}['"]`,
    either(isBrokenOut, isTail),
  ),
  sql(
    'command_execution',
    ['copy'],
    String.raw`copy${S}{1,4}[^\n;]{1,60}?${S}(?:to|from)${S}{1,4}program${S}{1,4}['$]`,
  ),
  sql('file_access', ['load_file'], String.raw`load_file\s?[(]\s{0,3}(?:['"][/\\]|0x|char)`),
];
