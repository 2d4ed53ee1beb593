import { domainToASCII } from 'node:url';
import { isLabelCode, isLetterCode } from '../characters.ts';
import { behindEscape } from '../escapes.ts';
import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** RFC 5321 section 4.5.3.1.1. */
const MAX_LOCAL_CHARS = 64;
/** Of 255 that DNS allows: two in a row must be no longer than what is held back of a stream. */
const MAX_DOMAIN_CHARS = 120;
const MAX_LABEL_CHARS = 63;

/**
 * Email addresses (docs/personal-data.md).
 * @param allowedHosts addresses at these domains and below them are no findings
 * @param leavesUserinfo a URL's password and host are no address
 */
export function createEmailDetector(
  allowedHosts: readonly string[],
  { leavesUserinfo = false }: { readonly leavesUserinfo?: boolean } = {},
): StreamDetector {
  const isAllowed = createHostList(allowedHosts);
  if (!leavesUserinfo) return createStreamDetector((text) => findEmailAddresses(text, isAllowed), openIn);
  return createStreamDetector(
    (text) => findEmailAddresses(text, isAllowed).filter(({ start }) => !isUserinfo(text, start)),
    openIn,
  );
}

const USERINFO = /:\/\/[^\s/?#"'<>`\\:@]{0,128}:[^\s/?#"'<>`\\]{0,120}$/;
const USERINFO_CHARS = 250;

function isUserinfo(text: string, start: number): boolean {
  return USERINFO.test(text.slice(Math.max(0, start - USERINFO_CHARS), start));
}

/** Between the parts of an address, also as it stands in the query of a URL. */
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
    // The domain of one may be taken for the local part of the next, as in `a@b.example@c.example`.
    const start = Math.max(local, covered);
    covered = end;
    if (!isAllowed(text.slice(domain, end))) {
      found.push({ detector: 'email', class: 'email', rule: 'email_address', start, end });
    }
  }
  return found;
}

/** A local part in quotes (RFC 5322 section 3.4.1) ends here. It has been sent before a stream shows that it is one. */
const QUOTED = /\w\\?"$/;
const QUOTE_CHARS = 3;

/** Where the local part begins that ends at `at`, `at` behind one in quotes; undefined where there is none. */
function localStart(text: string, at: number): number | undefined {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL_CHARS && isLocalCode(text.charCodeAt(start - 1))) {
    // Dots in a row are an ellipsis.
    if (text[start] === '.' && text[start - 1] === '.') break;
    start -= 1;
  }
  start = behindEscape(text, start);
  while (start < at && isPunctuation(text.charCodeAt(start))) start += 1;
  if (start < at) return start;
  return QUOTED.test(text.slice(Math.max(0, at - QUOTE_CHARS), at)) ? at : undefined;
}

/** Letters, digits, underscore, and punctuation that does not end a word. */
function isLocalCode(code: number): boolean {
  return isLabelCode(code) || code === 95 || isPunctuation(code);
}

/** `.` `-` `+` `%`: within a local part, not at its beginning. */
function isPunctuation(code: number): boolean {
  return code === 46 || code === 45 || code === 43 || code === 37;
}

/** Where the longest domain ends that begins at `from`; undefined where there is none. */
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

/** Endings of files and of systemd's units, none of which is a top-level domain: `icon@2x.png`, `getty@tty1.service`. */
const NO_DOMAINS: ReadonlySet<string> = new Set(
  [
    'png jpg jpeg gif svg webp ico css js jsx ts tsx json html htm xml yml yaml txt pdf log conf ini lock toml csv',
    'service socket timer mount slice scope',
  ].flatMap((names) => names.split(' ')),
);

/** Two letters or more, whatever follows: what is written behind an address is often not set apart from it. */
function topLevelEnd(label: string, offset: number): number | undefined {
  if (/^xn--[a-z0-9-]+$/i.test(label)) return offset + label.length;
  let letters = 0;
  while (letters < label.length && isLetterCode(label.charCodeAt(letters))) letters += 1;
  const isDomain = letters >= 2 && !NO_DOMAINS.has(label.slice(0, letters).toLowerCase());
  return isDomain ? offset + letters : undefined;
}

/** Versions of packages, `name@1.2.3-beta.rc`, and remotes of Git, `git@host.example:path`, are written alike. */
function isOfAnotherKind(text: string, local: number, domain: number, end: number): boolean {
  if (/^v?\d{1,9}\.\d{1,9}\.\d/.test(text.slice(domain, domain + 24))) return true;
  if (!/^git(?:@|%40)$/.test(text.slice(local, domain))) return false;
  return text.slice(local - 3, local) === '://' || /^:\S/.test(text.slice(end, end + 2));
}

/** A remote of Git or an address, as what follows will show. */
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

/** Of the address whose domain the text ends in. */
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

/**
 * Whether a domain is one of a list, or below one of them; in any case of letters, and of its Unicode and its ASCII
 * form. What people write around a domain is left out: `@example.org`, `*.example.org`.
 */
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
  // Empty where it is no domain, such as `a_b.example`.
  return domainToASCII(name) || name;
}
