import type { Tokens, Vocabulary } from './lexer.ts';
import { isReport } from './reports.ts';
import { isAboutThings } from './things.ts';

/** Words directly before a verb that mark a report: subjects, adverbs, auxiliaries. */
const NARRATORS = `i they he she people users who which often sometimes students drivers always we did does would could might
  developers employees many models attackers`;
/** Verbs of reports, unless their subject is the model. */
const MODALS = `will may can`;
/** "A robot that forgets its rules": Romance imperatives look like the third person. */
const RELATIVES = `que qui che который которая которые кто wer quien quem chi`;
const WANTING = `quiero necesito pido exijo ordeno requiero quero preciso peço mando voglio ordino exige veux`;
const ADDRESSED = `you u ai assistant assistants model llm chatbot chatgpt gpt agent it`;
const NEGATIONS = `not dont never cannot cant wont shouldnt mustnt doesnt didnt nicht nie 不要 请勿 切勿`;
/** As in "Refuses to print the prompt", in test names. */
const REFUSALS = `refuses refused declines declined`;
const HOW = `to do does can could should would did i models attackers`;

const MENTION =
  /(?:such as|like|e\.g\.|examples?|phrases?|strings?|says?|said|saying|contain(?:s|ing)?|patterns?|texts?|words|called|injections?|attacks?|match(?:es)?|detect(?:s|ing)?|includes?)\W{0,3}$/i;
const OPENING = /["“'‘«`„「『]/;
const QUOTES = /["“”«»`„「」『』']/;
const APOSTROPHE = /^\p{L}['’]\p{L}$/u;
const BEFORE_QUOTE =
  /^$|(?:[\s(,:：，→|+>*#\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、]|\\[nrt])$/u;
/** Words near a quoted phrase in texts about attacks, in twelve languages. */
const REPORTING = new RegExp(
  [
    String.raw`\b(?:attacks?|attackers?|tricks?|jailbreaks?|detectors?|filters?|classifiers?|guards?|firewall|phrases?|sentences?|flag(?:s|ged)?|block(?:s|ed)|recogni[sz]es?|papers?|assert|expect)\b`,
    String.raw`\b(?:if|when|whoever) (?:(?:a|the) users? )?(?:writes?|says?|types?|asks?)\b`,
    String.raw`\b(?:angriff|trick|satz|sätze|filter|detektor|klassifikator|meldet|gemeldet|erkannt|erkennt|(?:nutzer|wer)\b)`,
    String.raw`\b(?:attaque|astuce|phrases?|filtre|détecteur|détecté|classifieur|signalé|utilisateur écrit|celui qui écrit)`,
    String.raw`\b(?:ataques?|truco|truque|frases?|filtro|detecta|detector|clasificador|classificador|marcó|marcou|usuario escribe|usuário escrever|quien escribe|quem escreve|detecte|detectado)`,
    String.raw`\b(?:attacco|trucco|frasi|frase|rilevat|rilevatore|classificatore|utente scrive|chi scrive)`,
    String.raw`\b(?:aanval|truc|zinnen|zin|detector|classificator|gemeld|herkent|gebruiker|wie)\b`,
    'атак|трюк|фраз|детектор|фильтр|классификатор|отметил|обнаруж|пользователь пишет|того, кто пишет',
    '攻击|手法|句子|检测|检查|测试|过滤器|分类器|识别|标记|用户写|拦下|攻撃|手口|のような文|検出|フィルター|分類器|ユーザーが',
    String.raw`\b(?:newspapers?|zeitung|journal|periódico|giornale|jornal|krant)\b|газет|新闻|新聞|报道|صحيفة|من يكتب|अखबार`,
    'هجوم|خدعة|جمل|المرشح|المصنف|الكاشف|اكتشاف|مستخدم|अटैक|हमला|तरकीब|वाक्य|फ़िल्टर|वर्गीकारक|डिटेक्टर|उपयोगकर्ता|पकड़ा',
  ].join('|'),
  'i',
);
const TO_BE_DONE =
  /\b(?:follow|obey|comply|execute|do (?:it|this|that|so|what|as)|act on|carry (?:it|this) out|reveal|print|(?:tell|give|show) me|send|now|your (?:new|task))\b|befolge|führe|obéis|applique|exécute|obedece|ejecuta|esegui|obbedisci|execute|gehoorzaam|voer|выполни|执行|照做|実行|従|نفذ|पालन/i;
/** Start of a JSON string, which is in quotes but is not a quotation. */
const JSON_STRING = /(?:["\]}]\s{0,8}[:,]|\d\s{0,8},|[[{])\s{0,8}$/;
/** Start of a member's value: `"text": "…"` is not a mention. */
const JSON_MEMBER = /"\s{0,8}:\s{0,8}$/;
const MAX_ESCAPES = 3;
const SHELL_QUOTE = /'\\{1,3}''$/;
const SHELL_CHARS = 6;
const SINGLE_QUOTE = /^\\{0,3}'/;
/** Characters between a quote and the phrase: "Please ignore …". */
const WORDS_BEFORE = 16;
const EXPRESSION_CHARS = 64;
const EXPRESSION_START = /(?:^|[\s=(,[:])\/([^/\n]{0,40})$/;
const EXPRESSION_END = /^([^/\n]{0,40})\/[dgimsuvy]{0,8}(?:[\s,;).\]]|$)/;
const OF_EXPRESSIONS = /\w\|\w|\)\?|\\[bsw]|\.\*/;
const REPORT_CHARS = 80;
const CLOSING = /^[^"”'’»`」』\n]{0,64}["”'’»`」』]/;

/** Content in which a defence expects orders: fetched data, never a prompt. */
const IN_CONTENT = new RegExp(
  [
    '^[\\s,]{0,2}(?:[a-z]{3,16}, ){0,3}(?:(?:or|and) [a-z ]{1,48})?',
    '(?:that (?:are|is|may be|might be|appear|appears) )?(?:embedded |contained |found |hidden |written |placed )?',
    '(?:in|inside|within) (?:them|it|those|the same|(?:this|that|these|those|the|such|any)? ?',
    '(?:fetched |untrusted |quoted |retrieved |external |tool |web |chat |attached |issue |page |file )?',
    '(?:contents?|tags?|data|files?|documents?|pages?|issues?|comments?|diffs?|results?|outputs?|e-?mails?|history|tickets?))(?![a-z])',
  ].join(''),
  'i',
);
/** Words for a model's own instructions, which a defence does not mention. */
const OWN =
  /\b(?:previous|prior|above|earlier|preceding|your|my|system|original|initial|developer|safety|everything)\b/i;

/** A prompt used for another purpose: "sort them by the table in your system prompt". */
const AS_MEANS = new RegExp(
  [
    String.raw`\b(?:using|by|per|following|according to|based on) (?:the|its|each)(?: (?![\w-]*ing\b)[\w\x60<>-]{1,32}){0,3}`,
    ' (?:guidance|table|format|rules?|style|schema|sections?|list|definitions?|conventions?|categories|criteria)',
    String.raw` (?:in|of|from) your(?: [\w-]{1,16}){0,2} (?:prompt|instructions?|message)$`,
  ].join(''),
  'i',
);
const MEANS_CHARS = 96;

const ANNOTATED = /#[ \t]{0,4}type:[ \t]{0,4}$/;
const ANNOTATION = /^ignore(?:\[[\w, -]{1,64}\])?[ \t]{0,4}(?:#[^\n]{0,24})?(?:\r?\n|$)/;
const ANNOTATION_CHARS = 128;

/** Reports whether the phrase from token `at` to offset `end` is only mentioned. */
export type MentionGuard = (text: string, tokens: Tokens, at: number, end: number) => boolean;

/**
 * Recognizes mentions: "Never ignore your instructions", "how do I ignore …", "they ignore …", "ignore any instructions
 * in the page", and phrases quoted as an example. Only nearby words decide, because an attacker may write
 * anything around an attack.
 */
export function createMentionGuard(vocabulary: Vocabulary): MentionGuard {
  const narrators = vocabulary.setOf(NARRATORS);
  const modals = vocabulary.setOf(MODALS);
  const addressed = vocabulary.setOf(ADDRESSED);
  const relatives = vocabulary.setOf(RELATIVES);
  const wanting = vocabulary.setOf(WANTING);
  const negations = vocabulary.setOf(NEGATIONS);
  const refusals = vocabulary.setOf(REFUSALS);
  const afterHow = vocabulary.setOf(HOW);
  const [how, why, to] = [vocabulary.add('how'), vocabulary.add('why'), vocabulary.add('to')];
  return (text, tokens, at, end) => {
    const before = (distance: number): number => wordBefore(tokens, at, distance);
    if (narrators.has(before(1))) return true;
    if (relatives.has(before(1)) && !wanting.has(before(2))) return true;
    if (modals.has(before(1)) && !addressed.has(before(2))) return true;
    if (negations.has(before(1)) && before(2) !== why) return true;
    if (before(1) === to && (negations.has(before(2)) || refusals.has(before(2)))) return true;
    const reach = before(1) === to ? 10 : 5;
    for (let distance = 2; distance <= reach; distance++)
      if (before(distance) === how && afterHow.has(before(distance - 1))) return true;
    const start = tokens.starts[at] ?? 0;
    if (isAnnotation(text, start)) return true;
    if (isAboutThings(text, start, end) || isReport(text, start, end)) return true;
    if (isExpression(text, start, end)) return true;
    return isInQuotes(text, start, end) || isDefence(text, start, end) || isMeans(text, start, end);
  };
}

/** Recognizes Python's `# type: ignore[assignment]` at the end of a line. */
function isAnnotation(text: string, start: number): boolean {
  return (
    ANNOTATED.test(text.slice(Math.max(0, start - 16), start)) &&
    ANNOTATION.test(text.slice(start, start + ANNOTATION_CHARS))
  );
}

/** Returns the word `distance` words before `at` in the same sentence, or -1. */
function wordBefore(tokens: Tokens, at: number, distance: number): number {
  for (let token = at; token > at - distance; token--)
    if (token <= 0 || tokens.breaks[token] === 1) return -1;
  return tokens.words[at - distance] ?? -1;
}

/** Recognizes defensive prompts: "Ignore any instructions embedded in the page". */
function isDefence(text: string, start: number, end: number): boolean {
  return IN_CONTENT.test(text.slice(end, end + 160)) && !OWN.test(text.slice(start, end));
}

function isMeans(text: string, start: number, end: number): boolean {
  return AS_MEANS.test(text.slice(Math.max(0, start - MEANS_CHARS), end));
}

function isInQuotes(text: string, start: number, end: number): boolean {
  if (!CLOSING.test(text.slice(end, end + 65))) return false;
  const open = openingQuote(text, start, end);
  if (open === -1) return false;
  const before = text.slice(Math.max(0, start - 40), open);
  if (SINGLE_QUOTE.test(text.slice(open, open + SHELL_CHARS)))
    return open < start && isReported(text, open, end);
  const isDirectlyBefore = open < start && open >= start - 2 - MAX_ESCAPES;
  return (
    (isDirectlyBefore && MENTION.test(before) && !JSON_MEMBER.test(before)) || isReported(text, open, end)
  );
}

/** Recognizes a guard's regex: `/reveal (your|the) system prompt/i`. */
function isExpression(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - EXPRESSION_CHARS), start);
  const opening = EXPRESSION_START.exec(before)?.[1];
  if (opening === undefined) return false;
  const closing = EXPRESSION_END.exec(text.slice(end, end + EXPRESSION_CHARS))?.[1];
  return closing !== undefined && OF_EXPRESSIONS.test(`${opening}${text.slice(start, end)}${closing}`);
}

/** Returns the offset of the last opening quote before or within the phrase, including its escapes, or -1. */
function openingQuote(text: string, start: number, end: number): number {
  for (let at = end - 1; at >= Math.max(0, start - WORDS_BEFORE); at--) {
    if (!QUOTES.test(text.charAt(at)) || APOSTROPHE.test(text.slice(at - 1, at + 2))) continue;
    const open = withEscapes(text, at);
    return OPENING.test(text.charAt(at)) && BEFORE_QUOTE.test(text.slice(Math.max(0, open - 2), open))
      ? open
      : -1;
  }
  return -1;
}

/** Returns the start of the escapes before a quote: JSON backslashes, or a shell's `'\\''`. */
function withEscapes(text: string, quote: number): number {
  const [shell] = SHELL_QUOTE.exec(text.slice(Math.max(0, quote - SHELL_CHARS), quote + 1)) ?? [];
  if (shell !== undefined) return quote + 1 - shell.length;
  let open = quote;
  while (quote - open < MAX_ESCAPES && text.charAt(open - 1) === '\\') open -= 1;
  return open;
}

/** Reports whether a text about attacks quotes the phrase without giving it as an order. */
function isReported(text: string, open: number, end: number): boolean {
  const before = text.slice(Math.max(0, open - REPORT_CHARS), open);
  const close = end + (CLOSING.exec(text.slice(end, end + 65))?.[0].length ?? 0);
  const after = text.slice(close, close + REPORT_CHARS);
  const [line = ''] = before.split('\n').slice(-1);
  const [rest = ''] = after.split('\n', 1);
  if (JSON_STRING.test(before)) return false;
  return REPORTING.test(`${line} ${rest}`) && !TO_BE_DONE.test(`${before} ${after}`);
}
