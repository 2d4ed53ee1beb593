import { domainToASCII } from 'node:url';
import { isLabelCode, isLetterCode } from '../characters.ts';
import { afterEscape } from '../json-escapes.ts';
import type { Detector, Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** RFC 5321 section 4.5.3.1.1. */
const MAX_LOCAL_CHARS = 64;
/** DNS allows 255, but two domains must fit into the held-back part of a stream. */
const MAX_DOMAIN_CHARS = 120;
const MAX_LABEL_CHARS = 63;

/**
 * Creates a detector for email addresses (docs/personal-data.md) outside the allowed hosts and their subdomains.
 * @param leavesUserinfo whether to ignore `password@host` in URLs
 */
export function createEmailDetector(
  allowedHosts: readonly string[],
  { leavesUserinfo = false }: { readonly leavesUserinfo?: boolean } = {},
): StreamDetector {
  const isAllowed = createHostList(allowedHosts);
  const find: Detector = (text) => findEmailAddresses(text, isAllowed);
  const findOutside: Detector = (text) => find(text).filter(({ start }) => !isUserinfo(text, start));
  return createStreamDetector(leavesUserinfo ? findOutside : find, openIn);
}

const USERINFO = /:\/\/[^\s/?#"'<>`\\:@]{0,128}:[^\s/?#"'<>`\\]{0,120}$/;
const USERINFO_CHARS = 250;

function isUserinfo(text: string, start: number): boolean {
  return USERINFO.test(text.slice(Math.max(0, start - USERINFO_CHARS), start));
}

const AT = /@|%40/g;

function findEmailAddresses(text: string, isAllowed: (domain: string) => boolean): readonly Finding[] {
  const found: Finding[] = [];
  let covered = 0;
  AT.lastIndex = 0;
  for (let match = AT.exec(text); match !== null; match = AT.exec(text)) {
    const domain = AT.lastIndex;
    const local = localStart(text, match.index);
    const end = local === undefined ? undefined : domainEnd(text, domain);
    if (local === undefined || end === undefined || isOfAnotherKind(text, local, domain, end)) continue;
    // In `a@b.example@c.example`, the first domain could be the local part of the second address.
    const start = Math.max(local, covered);
    covered = end;
    if (!isAllowed(text.slice(domain, end))) {
      found.push({ detector: 'email', class: 'email', rule: 'email_address', start, end });
    }
  }
  return found;
}

/** End of a quoted local part (RFC 5322 section 3.4.1), whose start a stream may already have sent. */
const QUOTED = /\w\\?"$/;
const QUOTE_CHARS = 3;

/** Returns the start of the local part that ends at `at`, or `at` itself after a quoted part, or undefined. */
function localStart(text: string, at: number): number | undefined {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL_CHARS && isLocalCode(text.charCodeAt(start - 1))) {
    // Consecutive dots are an ellipsis.
    if (text[start] === '.' && text[start - 1] === '.') break;
    start -= 1;
  }
  start = afterEscape(text, start);
  while (start < at && isPunctuation(text.charCodeAt(start))) start += 1;
  if (start < at) return start;
  return QUOTED.test(text.slice(Math.max(0, at - QUOTE_CHARS), at)) ? at : undefined;
}

function isLocalCode(code: number): boolean {
  return isLabelCode(code) || code === 95 || isPunctuation(code);
}

/** Recognizes `.` `-` `+` `%`, which are not allowed at the start. */
function isPunctuation(code: number): boolean {
  return code === 46 || code === 45 || code === 43 || code === 37;
}

function domainEnd(text: string, from: number): number | undefined {
  let end: number | undefined;
  for (let label = from; ;) {
    const labelEnd = endOfLabel(text, label);
    const isLabel = labelEnd > label && labelEnd - label <= MAX_LABEL_CHARS && text[label] !== '-';
    if (labelEnd - from > MAX_DOMAIN_CHARS) return undefined;
    if (!isLabel) return end;
    if (label > from) end = topLevelEnd(text.slice(label, labelEnd), label) ?? end;
    if (text[labelEnd] !== '.') return end;
    label = labelEnd + 1;
  }
}

function endOfLabel(text: string, label: number): number {
  let end = label;
  while (end - label <= MAX_LABEL_CHARS && isLabelCode(text.charCodeAt(end))) end += 1;
  return end;
}

/** File and systemd unit extensions: `icon@2x.png`, `getty@tty1.service`. */
const NO_DOMAINS: ReadonlySet<string> = new Set(
  [
    'png jpg jpeg gif svg webp ico css js jsx ts tsx json html htm xml yml yaml txt pdf log conf ini lock toml csv',
    'service socket timer mount slice scope',
  ].flatMap((names) => names.split(' ')),
);

/** Accepts two or more leading letters, because text may follow an address directly. */
function topLevelEnd(label: string, offset: number): number | undefined {
  if (/^xn--[a-z0-9-]+$/i.test(label)) return offset + label.length;
  let letters = 0;
  while (letters < label.length && isLetterCode(label.charCodeAt(letters))) letters += 1;
  const isDomain = letters >= 2 && !NO_DOMAINS.has(label.slice(0, letters).toLowerCase());
  return isDomain ? offset + letters : undefined;
}

/** Recognizes package versions (`name@1.2.3-beta.rc`) and Git remotes (`git@host.example:path`). */
function isOfAnotherKind(text: string, local: number, domain: number, end: number): boolean {
  if (/^v?\d{1,9}\.\d{1,9}\.\d/.test(text.slice(domain, domain + 24))) return true;
  if (!/^git(?:@|%40)$/.test(text.slice(local, domain))) return false;
  return text.slice(local - 3, local) === '://' || /^:\S/.test(text.slice(end, end + 2));
}

/** The character after the colon decides whether this is a Git remote or an email address. */
const GIT_REMOTE = /git(?:@|%40)[^\s:@]{1,128}:$/;
const REMOTE_CHARS = 140;

function openIn(tail: string): number {
  const { length } = tail;
  if (tail.endsWith(':')) {
    const from = Math.max(0, length - REMOTE_CHARS);
    const remote = tail.slice(from).search(GIT_REMOTE);
    return remote === -1 ? length : (localStart(tail, from + remote + 3) ?? length);
  }
  const ends = [
    length,
    length - (/%4?$/.exec(tail.slice(-2))?.[0].length ?? 0),
    atBeforeDomain(tail) ?? length,
  ];
  return Math.min(...ends.map((at) => localStart(tail, at) ?? length));
}

function atBeforeDomain(tail: string): number | undefined {
  let from = tail.length;
  while (from > 0 && tail.length - from <= MAX_DOMAIN_CHARS + 2 && isDomainCode(tail.charCodeAt(from - 1)))
    from -= 1;
  if (tail[from - 1] === '@') return tail.length - from > MAX_DOMAIN_CHARS ? undefined : from - 1;
  return tail.startsWith('%40', from - 1) ? from - 1 : undefined;
}

function isDomainCode(code: number): boolean {
  return isLabelCode(code) || code === 46;
}

/** Returns a predicate for the listed domains (also `@example.org`, `*.example.org`) and their subdomains. */
function createHostList(hosts: readonly string[]): (domain: string) => boolean {
  const listed = new Set(hosts.map((host) => canonicalHost(host.trim().replace(/^[@*.]+/, ''))));
  listed.delete('');
  if (listed.size === 0) return () => false;
  return (domain) => {
    let name = canonicalHost(domain);
    while (!listed.has(name)) {
      const dot = name.indexOf('.');
      if (dot === -1) return false;
      name = name.slice(dot + 1);
    }
    return true;
  };
}

function canonicalHost(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  // `domainToASCII` returns '' for invalid domains such as `a_b.example`.
  return domainToASCII(name) || name;
}
