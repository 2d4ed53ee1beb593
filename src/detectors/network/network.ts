import { isDigitCode, isWordCode } from '../characters.ts';
import { beginsWord, escapeEnd } from '../json-escapes.ts';
import { NUMBER_BEGINS, openAt, WORD_BEGINS } from '../pii/digit-groups.ts';
import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** Finds private and loopback IP addresses (docs/personal-data.md; RFC 1918, RFC 1122 section 3.2.1.3). */
export const networkDetector: StreamDetector = createStreamDetector(findNetworkAddresses, openIn);

/** Matches every possible private or loopback address, with or without adjacent digits. */
const ADDRESS = /(?:10|127|172|192)(?:\.\d{1,3}){3}|::1/g;

function findNetworkAddresses(text: string): readonly Finding[] {
  const found: Finding[] = [];
  ADDRESS.lastIndex = 0;
  for (let match = ADDRESS.exec(text); match !== null; match = ADDRESS.exec(text)) {
    const start = match.index;
    const [written] = match;
    const end = start + written.length;
    const rule = written === '::1' ? ruleOfV6(text, start, end) : ruleOfV4(text, start, end, written);
    if (rule !== undefined) found.push({ detector: 'network', class: 'network', rule, start, end });
    else ADDRESS.lastIndex = start + 1;
  }
  return found;
}

type Rule = 'private_ipv4' | 'loopback';

/** Letters may adjoin an address; digits and further groups must not. */
function ruleOfV4(text: string, start: number, end: number, written: string): Rule | undefined {
  const escape = escapeEnd(text, start);
  const isInNumber =
    isDigitCode(text.charCodeAt(start - 1)) || /\d\.$/.test(text.slice(Math.max(0, start - 2), start));
  if (escape === undefined ? isInNumber : escape > start) return undefined;
  if (/^\.?\d/.test(text.slice(end, end + 2))) return undefined;
  const rule = rangeOf(written);
  if (rule === undefined) return undefined;
  const isOther =
    VERSION_LIKE.test(written) && OTHER_NUMBER.test(text.slice(Math.max(0, start - NAME_CHARS), start));
  return isOther ? undefined : rule;
}

/** Numbers up to 255 without leading zeros. */
const FOUR_PARTS = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/;
const PRIVATE = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./;

function rangeOf(written: string): Rule | undefined {
  if (!FOUR_PARTS.test(written)) return undefined;
  if (written.startsWith('127.')) return 'loopback';
  return PRIVATE.test(written) ? 'private_ipv4' : undefined;
}

/** Versions and sections that look like addresses: `Version=10.0.0.0`, `Chrome/127.0.0.0`, `section 10.1.2.3`. */
const OTHER_NUMBER =
  /(?:(?<![a-z])(?:v|ver|version|release|build|section|sec|chapter|clause|appendix|paragraph)[.:= ]{0,2}|§ ?|(?:chrome|chromium|crios|edge?|edga|edgios|opr|opera|vivaldi|electron|yabrowser|samsungbrowser)\/)$/i;
const NAME_CHARS = 24;
const VERSION_LIKE = /^1(?:0|27)\./;

/** Rejects the end of a longer address, and Python slices such as `list[::1]`. */
function ruleOfV6(text: string, start: number, end: number): Rule | undefined {
  const hasPartBefore = /[:.)\]]/.test(text.charAt(start - 1)) || !beginsWord(text, start);
  const isSlice =
    text[start - 1] === '[' && (/[)\]]/.test(text.charAt(start - 2)) || !beginsWord(text, start - 1));
  const hasPartAfter = isWordCode(text.charCodeAt(end)) || /^(?::|\.\d)/.test(text.slice(end, end + 2));
  return hasPartBefore || isSlice || hasPartAfter ? undefined : 'loopback';
}

/** The longest address has 15 characters; two more may follow. */
const OPEN_CHARS = 17;
const MAY_BE_OPEN = /[\d:.]$/;
const IPV4_OPEN = String.raw`${NUMBER_BEGINS}(?:1(?:[0279]?|27|72|92)|(?:10|127|172|192)(?:\.\d{1,3}){1,3}\.?|(?:10|127|172|192)\.)$`;
const IPV6_OPEN = String.raw`${WORD_BEGINS}(?<![:.)\]]):(?::(?:1\.?)?)?$`;
const OPEN = new RegExp(`${IPV4_OPEN}|${IPV6_OPEN}`);

function openIn(tail: string): number {
  if (!MAY_BE_OPEN.test(tail)) return tail.length;
  return openAt(tail, OPEN, OPEN_CHARS);
}
