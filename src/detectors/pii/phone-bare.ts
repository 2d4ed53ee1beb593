import type { Span } from '../../text/span.ts';
import { isWordCode } from '../characters.ts';
import { SPACES, NUMBER_BEGINS, openAt } from './digit-groups.ts';
import { beginsWord } from '../json-escapes.ts';
import { isNanpNumber } from './phone-context.ts';

const NUMBER = String.raw`1?([2-9]\d{2})([2-9]\d{2})\d{4}`;
const WRITTEN = new RegExp(String.raw`${NUMBER_BEGINS}${NUMBER}(?!\d)`, 'g');

/** Returns ungrouped North American numbers whose context indicates a phone, because order numbers look the same. */
export function bareNumbersIn(text: string): readonly Span[] {
  const found: Span[] = [];
  WRITTEN.lastIndex = 0;
  for (let match = WRITTEN.exec(text); match !== null; match = WRITTEN.exec(text)) {
    const start = match.index;
    const end = WRITTEN.lastIndex;
    const [, area = '', exchange = ''] = match;
    if (isPhoneByContext(text, start, end) && isNanpNumber(area, exchange)) found.push({ start, end });
  }
  return found;
}

const EXTENSION = new RegExp(String.raw`^[${SPACES}]{0,2}(?:x|ext\.?)[ .:]{0,2}\d`, 'i');
const EXTENSION_CHARS = 9;

function isPhoneByContext(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - BEFORE_CHARS), start);
  if (!beginsWord(text, start) || /\d[.,-]$/.test(before)) return false;
  const after = text.slice(end, end + EXTENSION_CHARS);
  if (EXTENSION.test(after)) return true;
  if (isWordCode(text.charCodeAt(end)) || /^(?:[.,-]\d|[@%])/.test(after)) return false;
  return NAMED.test(before) || isAlone(text, start, end);
}

/** `phone: `, `"mobileNumber": "`, `call me at `, `tel:`. */
const NAMED =
  /(?:(?<![a-z])(?:(?:tele|mobile ?|cell ?|home ?|work ?|office ?)?(?:phone|tel|fax)|telefon[eo]?|teléfono|téléphone|mobile|móvil|cell|celular|handy|call(?:ed|ing)?|dial(?:ed|ing)?|sms|texted|texting|whats ?app|wa\.me|voicemail|hotline)|电话|電話|手机)(?:[ _-]?(?:numbers?|nummer|num|no|nr|me|us|him|her|them|at|on|is|was)(?![a-z])){0,4}[^0-9a-z\n]{0,12}$/i;
const BEFORE_CHARS = 56;

const MAX_SPACES = 16;
const ANSWER_MEMBER =
  /(?<![A-Za-z])(?:content|text|response|completion|generation|output(?:_t|T)ext)" ?: ?"$/;

/** Limits of 32-bit integers, which programs often print. */
const LIMIT = /^(?:214748364[78]|429496729[56])$/;

function isAlone(text: string, start: number, end: number): boolean {
  if (LIMIT.test(text.slice(start, end))) return false;
  const after = text.slice(end, end + MAX_SPACES + 1);
  const isLast = after.length <= MAX_SPACES && after.trim() === '';
  return (
    (isLast && isFirst(text, start)) || ((isLast || after.startsWith('"')) && isFirstInAnswer(text, start))
  );
}

function isFirst(text: string, start: number): boolean {
  return start <= MAX_SPACES && text.slice(0, start).trim() === '';
}

function isFirstInAnswer(text: string, start: number): boolean {
  return ANSWER_MEMBER.test(text.slice(Math.max(0, start - BEFORE_CHARS), start));
}

const EXTENSION_OPEN = String.raw`[${SPACES}]{0,2}(?:x|e(?:xt?)?\.?)?[ .:]{0,2}`;
const OPEN = new RegExp(
  String.raw`${NUMBER_BEGINS}(?:1|1?[2-9]\d{0,8}|${NUMBER}(?:${EXTENSION_OPEN}|[,-]))$`,
  'i',
);
const LAST_NUMBER = new RegExp(String.raw`${NUMBER_BEGINS}${NUMBER}\s{0,${String(MAX_SPACES)}}$`);
const OPEN_CHARS = 32;

export function bareOpenIn(tail: string): number {
  const last = openAt(tail, LAST_NUMBER, OPEN_CHARS);
  if (last < tail.length && (isFirst(tail, last) || isFirstInAnswer(tail, last))) return last;
  return openAt(tail, OPEN, OPEN_CHARS);
}
