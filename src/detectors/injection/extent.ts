import type { Finding } from '../finding.ts';
import { groupOf } from '../tool-rules.ts';

/** Maximum length of an order after its first words, in UTF-16 code units. */
const MAX_CHARS = 1_024;
const MAX_FURTHER = 3;
const MAX_BEFORE = 512;

/** End of a sentence, with closing quotes and brackets. Excludes dots in addresses or before a lowercase letter. */
const SENTENCE_END =
  /[.!?…؟](?=["'”’»)\]]{0,3}(?:\s|$))(?!\s{1,3}\p{Ll})["'”’»)\]]{0,3}|[。！？；।॥።]["'”’»」』）]{0,3}/gu;
/** End of a paragraph: an empty line, a block tag or the end of a comment. */
const PARAGRAPH_END =
  /\r?\n[ \t]{0,16}\r?\n|<\/?(?:p|div|li|ul|ol|td|th|tr|table|h[1-6]|br|body|html|blockquote|pre)\b|-->/i;
const LIST_MARK = /^[ \t]{0,12}(?:[-*+•‣◦]|\p{N}{1,3}[.)．、]|\p{L}\))[ \t]{1,4}/u;
const FENCE = /^[ \t]{0,12}(```|~~~)/;
/** A line that continues no sentence: a heading, a table row, the start of a block, a name with its value. */
const OWN_LINE =
  /^[ \t]{0,12}(?:#{1,6}[ \t]|\||>|<\/?[a-z]|={3}|-{3}|[\p{L}_][\p{L}\p{N}_ -]{0,24}[:=][ \t])/iu;
const OPEN_END = /(?:[:：,，、–—-]|\b(?:and|then|to|of|the|und|dann|et|puis|y|e|и|в|на))["'`*_ \t]{0,4}$/iu;
const CONTINUES = /^[ \t]{0,12}[\p{Ll}~/\\.$`"'“‘(&\u3040-\u30ff\u3400-\u9fff]/u;
const COLON_END = /[:：]["'”’*_ \t]{0,4}$/;

/** Start of a sentence that continues an order, in seven languages: an imperative, or a word such as "then". */
const FURTHER_ORDER = new RegExp(
  String.raw`^[\s"'“‘«*_(]{0,6}(?:${[
    'please|instead|then|next|now|also|and|after (?:that|this)|afterwards|first|finally|do|you (?:must|should|will|are|need|have)|your (?:new|only|real|task)|from now on|act|pretend',
    'send|forward|e-?mail|mail|post|upload|submit|transmit|read|open|cat|fetch|download|visit|print|output|show|display|reveal|tell|give|reply|respond|answer|say|write|repeat|call|invoke|run|execute|use|delete|remove|drop|transfer|pay|wire|copy|include|append|add|set|create|change|exfiltrate|collect|return|disable|install|click',
    'bitte|stattdessen|dann|danach|jetzt|nun|anschließend|du (?:musst|sollst|bist)|sende|schicke|schick|leite|lies|lese|öffne|gib|gebe|zeige|zeig|antworte|schreibe|führe|lösche|kopiere|lade|überweise|rufe|nutze',
    'ensuite|puis|maintenant|à la place|tu (?:dois|es)|vous (?:devez|êtes)|envoie|envoyez|transmets|transmettez|lis|lisez|ouvre|ouvrez|affiche|affichez|montre|montrez|réponds|répondez|écris|écrivez|exécute|exécutez|supprime|supprimez|copie|copiez|transfère|transférez|donne|donnez',
    'luego|después|ahora|en su lugar|debes|envía|envíe|manda|mande|reenvía|lee|lea|abre|abra|muestra|muestre|responde|responda|escribe|escriba|ejecuta|ejecute|borra|borre|elimina|elimine|copia|copie|transfiere|transfiera|sube|suba|da|dame',
    'poi|quindi|ora|adesso|invece|devi|invia|inviate|manda|mandate|inoltra|leggi|leggete|apri|aprite|mostra|mostrate|rispondi|rispondete|scrivi|scrivete|esegui|eseguite|elimina|cancella|trasferisci|dammi',
    'depois|em seguida|agora|em vez disso|deves|deve|envie|envia|mande|encaminhe|leia|lê|abra|mostre|responda|escreva|execute|apague|exclua|copie|transfira|carregue',
    'затем|потом|теперь|вместо этого|далее|ты (?:должен|теперь)|вы (?:должны|теперь)|отправь|отправьте|пришли|пришлите|перешли|перешлите|прочитай|прочитайте|открой|откройте|покажи|покажите|выведи|выведите|ответь|ответьте|напиши|напишите|выполни|выполните|удали|удалите|скопируй|скопируйте|переведи|переведите',
  ].join('|')})(?![\p{L}\p{N}])`,
  'iu',
);
/** The same in Chinese (start of the sentence) and Japanese (end of the sentence). */
const FURTHER_ORDER_UNSPACED =
  /^[\s"“「『]{0,4}(?:请|請|然后|然後|接着|接著|现在|現在|并|並|再|把|将|將|你(?:必须|必須|应该|應該|现在|要)|发送|發送|读取|讀取|打开|打開|显示|顯示|输出|輸出|回复|回覆|回答|执行|執行|删除|刪除|上传|上傳|转发|轉發|复制|複製|泄露)|(?:して|せよ|しろ|ください|下さい|なさい|送れ|送って|見せて|教えて|開いて|読んで|書いて)[。！\s"」』]{0,3}$/u;

/** Rule whose findings already span the whole order. */
const WHOLE_ALREADY = 'image_exfiltration';

/**
 * Extends an attack in a tool's answer to the whole order, which will be removed. Matches of operator patterns keep
 * their end.
 */
export function wholeOrder(text: string, finding: Finding): Finding {
  const isOrder = finding.detector === 'prompt_injection' && finding.class !== 'pattern';
  if (!isOrder || groupOf(finding) !== 'prompt_injection' || finding.rule === WHOLE_ALREADY) return finding;
  return { ...finding, end: endOfOrder(text, finding.start, finding.end) };
}

/** Returns the end of an order: its sentence without final punctuation, plus the lists, blocks and orders after it. */
function endOfOrder(text: string, start: number, end: number): number {
  const quoteEnd = endOfQuote(text, start, end);
  const limit = Math.min(text.length, end + MAX_CHARS, quoteEnd ?? text.length);
  const raw = text.slice(end, limit);
  // Replaces escapes with as many characters, because lines in a JSON string end with an escape.
  const ahead = quoteEnd === undefined ? raw : raw.replace(/\\[nrt]/g, ' \n');
  const sign = SIGN_AT_ONCE.exec(ahead)?.[0].length;
  let at = endsSentence(text.slice(start, end)) ? 0 : (sign ?? sentenceEnd(ahead, 0));
  for (let further = 0; further < MAX_FURTHER && at < ahead.length; further += 1) {
    const next = furtherEnd(text.slice(start, end) + ahead.slice(0, at), ahead, at);
    if (next === undefined) break;
    at = next;
  }
  const taken = ahead.slice(0, at).trimEnd();
  return end + taken.length - (SIGN_AT_END.exec(taken.slice(-8))?.[0].length ?? 0);
}

/** Returns the end of the JSON string that contains an order, which limits the order, or undefined outside strings. */
function endOfQuote(text: string, start: number, end: number): number | undefined {
  const open = text.slice(Math.max(0, start - MAX_BEFORE), start).lastIndexOf('"');
  if (open < 0) return undefined;
  const quote = Math.max(0, start - MAX_BEFORE) + open;
  if (!/[:[,{]\s{0,4}$/.test(text.slice(Math.max(0, quote - 5), quote))) return undefined;
  for (let at = end; at < Math.min(text.length, end + MAX_CHARS); at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === '"') return at;
  }
  return undefined;
}

/** Directly after a finding, punctuation cannot be part of an address. */
const SIGN_AT_ONCE = /^[.!?…؟]["'”’»)\]]{0,3}(?=\s|$)/u;
const SIGN_AT_END = /[.!?…؟।॥።。！？；]["'”’»」』）)\]]{0,3}$/u;

export function endsSentence(text: string): boolean {
  return SIGN_AT_END.test(text.slice(-16).trimEnd());
}

function sentenceEnd(text: string, at: number): number {
  const bound = paragraphEnd(text, at);
  SENTENCE_END.lastIndex = at;
  const match = SENTENCE_END.exec(text);
  const end = match === null || match.index >= bound ? bound : match.index + match[0].length;
  // A line break may end a sentence without final punctuation.
  for (let line = text.indexOf('\n', at); line >= 0 && line < end; line = text.indexOf('\n', line + 1)) {
    if (endsAtLine(text.slice(at, line).trimEnd(), text.slice(line + 1, end))) return line;
  }
  return end;
}

function paragraphEnd(text: string, at: number): number {
  const length = PARAGRAPH_END.exec(text.slice(at))?.index;
  return length === undefined ? text.length : at + length;
}

function endsAtLine(before: string, after: string): boolean {
  if (LIST_MARK.test(after) || FENCE.test(after) || OWN_LINE.test(after)) return true;
  return !OPEN_END.test(before) && !CONTINUES.test(after);
}

/** Returns the end of the part that continues the order before `at`, or undefined. */
function furtherEnd(order: string, text: string, at: number): number | undefined {
  const gap = /^\s{0,8}/.exec(text.slice(at))?.[0] ?? '';
  const from = at + gap.length;
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const line = text.slice(Math.max(at, lineStart));
  if (COLON_END.test(order)) return blockEnd(text, Math.max(at, lineStart));
  const mark = LIST_MARK.exec(line)?.[0].length ?? 0;
  const begin = Math.max(at, lineStart) + mark;
  const end = sentenceEnd(text, Math.max(from, begin));
  return isFurtherOrder(text.slice(Math.max(from, begin), end)) ? end : undefined;
}

function isFurtherOrder(sentence: string): boolean {
  return FURTHER_ORDER.test(sentence) || FURTHER_ORDER_UNSPACED.test(sentence);
}

/** Returns the end of the fenced block, list or sentence after a colon. */
function blockEnd(text: string, at: number): number {
  const fence = FENCE.exec(text.slice(at))?.[1];
  if (fence !== undefined) {
    const close = text.indexOf(fence, text.indexOf(fence, at) + fence.length);
    return close < 0 ? text.length : close + fence.length;
  }
  let end = at;
  while (LIST_MARK.test(text.slice(end, end + 32))) {
    const line = text.indexOf('\n', end);
    if (line < 0) return text.length;
    end = line + 1;
  }
  return end > at ? end : sentenceEnd(text, at + (/^\s{0,8}/.exec(text.slice(at))?.[0].length ?? 0));
}
