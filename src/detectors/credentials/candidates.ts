import type { NameKind } from './names.ts';
import { quotedAt, unquotedAt, type ValueSpan, userinfoAt } from './places.ts';
import { isKeyValue, isPassword, isSecretValue, isStatedPassword, type Standing } from './values.ts';
import { stickyEnd } from '../../text/sticky.ts';

export const CREDENTIAL_RULES = [
  'password',
  'named_secret',
  'url_password',
  'command_password',
  'pgpass_password',
] as const;

type CredentialRule = (typeof CREDENTIAL_RULES)[number];

export interface Candidate {
  readonly rule: CredentialRule;
  readonly start: number;
  readonly end: number;
  /** End of the text on which the candidate depends. Exceeds the text if more text may change the candidate. */
  readonly readTo: number;
  readonly isSecret: boolean;
}

const BEFORE_CHARS = 64;
const COMMAND_CHARS = 120;

const SUFFIX = String.raw`(?:[_.-]?(?:\d{1,3}|v\d|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|qa|uat|live|old|new|current|primary|secondary|main|master|slave|replica|readonly|admin|root|app|plain(?:_?text)?|value|string|raw|env|local|remote)){0,2}`;
const KEY_SUFFIX = String.raw`(?:[_-]?(?:key|base|id(?=\d)|token)(?![A-Za-z]))?`;
const CLOSE = String.raw`\??\\{0,3}["'\x60]?[\])]?`;
const SIGN = String.raw`(?:=>|:=|\?=|\+=|:|=(?![=~>])|：|＝)`;
const SPACES = String.raw`[ \t\u00a0]{0,8}`;

const sticky = (source: string): RegExp => new RegExp(source, 'iy');

const ASSIGNED = sticky(`${SUFFIX}${KEY_SUFFIX}${CLOSE}${SPACES}${SIGN}${SPACES}`);
/** A quoted value may be on the next line. */
const ASSIGNED_BELOW = sticky(`${SUFFIX}${KEY_SUFFIX}${CLOSE}${SPACES}${SIGN}\\s{1,24}(?=\\\\{0,3}["'])`);
// `password: string = "…"`.
const ANNOTATED = sticky(`${SUFFIX}${CLOSE}${SPACES}:${SPACES}[\\w.|<>?[\\] ]{1,32}=${SPACES}(?=["'])`);
// `"name": "DB_PASSWORD", "value": "…"`, in JSON, YAML and XML.
const VALUE_NAME = String.raw`(?:value|val|string|default|content)`;
const PAIRED = sticky(
  `${SUFFIX}${KEY_SUFFIX}\\\\{0,3}["'\`]?(?:,\\s{0,32}|\\s{1,32})(?:\\\\{0,3}["']?${VALUE_NAME}\\\\{0,3}["']?${SPACES}[:=]${SPACES})`,
);
const PAIRED_TAGS = sticky(`${SUFFIX}${KEY_SUFFIX}</\\w{1,24}>\\s{0,32}<\\w{1,24}>`);
const IN_TAG = sticky(`${SUFFIX}${KEY_SUFFIX}(?:\\s[^<>]{0,60})?>`);
const TAG_VALUE = /[^<>\s]{1,257}/y;
const FLAGGED = sticky(`${SUFFIX}${KEY_SUFFIX}(?:=|[ \\t]{1,4})`);
const STATED = sticky(
  `["'\`*]{0,3}(?:[ \\t]{1,4}(?:for|of|to|on|für|zu|de|del|du|da)[ \\t]{1,4}[\\w .@'-]{1,40}?)?(?:[ \\t]{1,4}(?:is|was|ist|lautet|est|es|é|è|это)(?=[ \\t:]):?[ \\t]{1,4}|[ \\t]{0,4}(?:是|为|為|は|는)[ \\t]{0,4}[:：]?[ \\t]{0,4})[*]{0,2}`,
);
const SPACE_THEN_QUOTE = /[ \t]{1,4}(?=\\{0,3}["'])/y;
const CALLED = /\([ \t]{0,4}(?=\\{0,3}["'])/y;
const DIRECTIVE = /\\{0,3}["']?(?:[ \t]{1,8}|\s{0,8},\s{0,16}|\r?\n[ \t]{0,8}\d{1,3}\)[ \t])/y;
const IDENTIFIED =
  /[ \t\r\n]{1,8}(?:with[ \t]{1,4}\S{1,40}[ \t]{1,4})?(?:by|as)[ \t\r\n]{1,8}(?:password[ \t]{1,4})?(?=\\{0,3}["'])/iy;
const SECURE_STRING = /[ \t]{1,4}(?:-String[ \t]{1,4})?(?=["'])/iy;
const NETRC = /[ \t]{1,8}|\r?\n[ \t]{0,8}/y;

/** Returns possible values after a name, in order of preference. */
export function candidatesAt(text: string, kind: NameKind, start: number, end: number): readonly Candidate[] {
  return readingsAt(text, kind, start, end).filter((candidate) => candidate !== undefined);
}

type Reading = Candidate | undefined;

function readingsAt(text: string, kind: NameKind, start: number, end: number): readonly Reading[] {
  switch (kind) {
    case 'url':
      return [inUrl(text, end)];
    case 'pgpass':
      return [inPgpass(text, start, end)];
    case 'user_flag':
      return [afterUserFlag(text, start, end)];
    case 'password_flag':
      return [afterPasswordFlag(text, start, end)];
    case 'sql':
      return [valueAfter(text, end, IDENTIFIED, 'quoted', plainly)];
    case 'literal':
      return [valueAfter(text, end, SECURE_STRING, 'quoted', plainly)];
    case 'directive':
      return [valueAfter(text, end, DIRECTIVE, 'any', plainly), ...named(text, 'password', start, end)];
    case 'short':
    case 'key':
      return beginsWord(text, start) ? named(text, kind, start, end) : [];
    default:
      return named(text, kind, start, end);
  }
}

/** Prefixes of tokens that are positions, versions or public keys: `nextToken`, `--lock-token`, `publicKeyToken`. */
const POSITION =
  /(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?:[Nn]ext|[Ss]tart(?:ing)?|[Ll]ock|[Cc]hange|[Pp]age|[Pp]agination|[Cc]ontinuation|[Ss]ync|[Ss]equence|[Pp]ublic[_-]?[Kk]ey)[_-]?$/;
/** `--db-password`, or `ENV DB_PASSWORD` in a Dockerfile, whose value follows after a space. */
const TAKES_VALUE = /(?:(?:^|[\s"'`[(,])--?[\w.-]{0,40}|(?:^|\n)[ \t]{0,16}(?:ENV|setx)[ \t]{1,4}\w{0,60})$/;
/** Type names such as `"AWS::ApiGateway::ApiKey"`. */
const TYPE_NAME = /["'](?:[A-Za-z]\w{0,30}::){1,4}$/;

type Judge = (value: string, standing: Standing) => boolean;

const plainly: Judge = (value, standing) => isPassword(value, { ...standing, isPlain: true });

type ValueKind = 'password' | 'short' | 'secret' | 'key';

const JUDGES: Readonly<Record<ValueKind, Judge>> = {
  password: isPassword,
  short: isPassword,
  secret: isSecretValue,
  key: isKeyValue,
};

function named(text: string, kind: ValueKind, start: number, end: number): readonly Reading[] {
  const judge = JUDGES[kind];
  const before = text.slice(Math.max(0, start - BEFORE_CHARS), start);
  if (/\barn:[\w:*-]{0,60}$/.test(before) || TYPE_NAME.test(before)) return [];
  if (kind === 'key' && POSITION.test(before)) return [];
  const name = text.slice(start, end);
  const rule = kind === 'password' || kind === 'short' ? 'password' : 'named_secret';
  const context = {
    rule,
    takesWords: /phrase/i.test(name),
    isShortName: kind === 'short',
    isEnvironment: beginsLine(before),
  } as const;
  const after = (link: RegExp, takes: Takes, by: Judge = judge): Reading =>
    valueAfter(text, end, link, takes, by, context);
  const readings = [
    after(ASSIGNED, 'any'),
    after(ASSIGNED_BELOW, 'quoted'),
    after(ANNOTATED, 'quoted'),
    after(PAIRED, 'any'),
    /<[\w.:-]{0,40}$/.test(before) ? tagged(text, end, IN_TAG, judge, context) : undefined,
    tagged(text, end, PAIRED_TAGS, judge, context),
    TAKES_VALUE.test(before) ? after(FLAGGED, 'any', asFlag(judge)) : undefined,
  ];
  if (rule !== 'password') return readings;
  const isKeyword = name === 'PASSWORD';
  const isSet = isKeyword || /(?:with|encrypted|set|(?:user|role)[ \t]\S{1,40})[ \t]{1,4}$/i.test(before);
  const isCalled = isKeyword || /set_?$/i.test(before);
  const isInNetrc = /\b(?:login|account)[ \t]{1,4}\S{1,48}\s{1,4}$/.test(before);
  return [
    ...readings,
    after(STATED, 'any', isStatedPassword),
    isSet ? after(SPACE_THEN_QUOTE, 'quoted', plainly) : undefined,
    isCalled ? after(CALLED, 'quoted') : undefined,
    isInNetrc ? after(NETRC, 'unquoted', plainly) : undefined,
  ];
}

/** Adapts a judge to flag values, which are never code. */
function asFlag(judge: Judge): Judge {
  return (value, standing) =>
    !/^(?:-.*|[A-Za-z]{1,11})$/.test(value) && judge(value, { ...standing, isPlain: true });
}

interface Context {
  readonly rule: CredentialRule;
  readonly takesWords: boolean;
  readonly isShortName: boolean;
  /** Whether the name begins its line, as in a file with environment variables. */
  readonly isEnvironment: boolean;
}

const NO_CONTEXT: Context = {
  rule: 'password',
  takesWords: false,
  isShortName: false,
  isEnvironment: false,
};

type Takes = 'any' | 'quoted' | 'unquoted';

function valueAfter(
  text: string,
  nameEnd: number,
  link: RegExp,
  takes: Takes,
  judge: Judge,
  context: Context = NO_CONTEXT,
): Reading {
  const at = stickyEnd(link, text, nameEnd);
  if (at === undefined) return undefined;
  const isTight = context.isEnvironment && text.charCodeAt(at - 1) === EQUALS;
  const quoted = takes === 'unquoted' ? undefined : quotedAt(text, at);
  const span = quoted ?? (takes === 'quoted' ? undefined : unquotedAt(text, at, context.isEnvironment));
  return span && candidateOf(text, span, judge, { ...context, isPlain: isTight && span.endsLine });
}

const EQUALS = 61;

function candidateOf(
  text: string,
  { start, end, isQuoted, readTo, isWhole }: ValueSpan,
  judge: Judge,
  { rule, takesWords, isShortName, isPlain }: Context & { readonly isPlain: boolean },
): Candidate {
  const standing = { isQuoted, isPlain: isPlain && !isQuoted, takesWords, isShortName };
  return { rule, start, end, readTo, isSecret: isWhole && judge(text.slice(start, end), standing) };
}

function plainCandidate(text: string, span: ValueSpan | undefined, rule: CredentialRule): Reading {
  return span && candidateOf(text, span, plainly, { ...NO_CONTEXT, rule, isPlain: true });
}

function tagged(
  text: string,
  nameEnd: number,
  link: RegExp,
  judge: Judge,
  { rule, takesWords, isShortName }: Context,
): Reading {
  const start = stickyEnd(link, text, nameEnd);
  const end = start === undefined ? undefined : stickyEnd(TAG_VALUE, text, start);
  if (start === undefined || end === undefined) return undefined;
  const value = text.slice(start, end);
  const standing = { isQuoted: true, isPlain: true, takesWords, isShortName };
  const isSecret = text.startsWith('</', end) && judge(value, standing);
  return { rule, start, end, readTo: end + 2, isSecret };
}

function inUrl(text: string, at: number): Reading {
  const userinfo = userinfoAt(text, at);
  return userinfo && { ...userinfo, rule: 'url_password' };
}

const PGPASS = /[^\s:]{1,64}:(?!\d+:)[^\s:]{1,64}:/y;

/** Parses a `.pgpass` line: `host:port:database:user:password`. */
function inPgpass(text: string, start: number, end: number): Reading {
  if (!/(?:^|\n)[\w.*-]{1,63}$/.test(text.slice(Math.max(0, start - BEFORE_CHARS), start))) return undefined;
  const at = stickyEnd(PGPASS, text, end);
  return plainCandidate(text, at === undefined ? undefined : unquotedAt(text, at, true), 'pgpass_password');
}

const USER_AND_PASSWORD = /[ =]?\\{0,3}["']?[^\s:"'\\]{1,64}:/y;
const SENDS_USERS = /\b(?:curl|https?|wget)(?:\.exe)?[ \t]/i;
const TAKES_PASSWORD =
  /\b(?:mysql\w{0,12}|mariadb[\w-]{0,12}|sshpass|mongo\w{0,8}|docker[ \t]login|redis-cli)(?:\.exe)?[ \t]/i;

/** Finds the password in `curl -u user:password`. */
function afterUserFlag(text: string, start: number, end: number): Reading {
  if (!/\s/.test(text[start - 1] ?? '') || !isOfCommand(text, start, SENDS_USERS)) return undefined;
  const at = stickyEnd(USER_AND_PASSWORD, text, end);
  return plainCandidate(text, at === undefined ? undefined : unquotedAt(text, at, false), 'command_password');
}

/** Finds the password in `mysql -pPassword`, `sshpass -p password` and `redis-cli -a password`. */
function afterPasswordFlag(text: string, start: number, end: number): Reading {
  if (!/\s/.test(text[end - 3] ?? '') || !isOfCommand(text, start, TAKES_PASSWORD)) return undefined;
  let at = end;
  while (at < end + 4 && text[at] === ' ') at += 1;
  const isMysql = /mysql|mariadb/i.test(text.slice(Math.max(0, start - COMMAND_CHARS), start));
  if (isMysql && at > end) return undefined;
  return plainCandidate(text, quotedAt(text, at) ?? unquotedAt(text, at, false), 'command_password');
}

/** Reports whether `at` is in the arguments of a command that matches. A backslash continues a line. */
function isOfCommand(text: string, at: number, command: RegExp): boolean {
  const before = text.slice(Math.max(0, at - COMMAND_CHARS), at).replaceAll(/\\\r?\n/g, ' ');
  const from = Math.max(...['\n', ';', '|'].map((end) => before.lastIndexOf(end))) + 1;
  return command.test(before.slice(from));
}

function beginsWord(text: string, start: number): boolean {
  const before = text[start - 1] ?? '';
  if (!/[\p{L}\d]/u.test(before)) return true;
  return /[a-z\d]/.test(before) && /[A-Z]/.test(text[start] ?? '');
}

/** Reports whether the line so far contains only a declaration and the start of the name. */
function beginsLine(before: string): boolean {
  return /(?:^|[\n;]|\\n)[ \t]{0,16}(?:-[ \t]{1,4})?["']?(?:(?:export|set|setx|declare|env|ENV|ARG|local|SET|-e|--env)[ \t]{1,4}|\$(?:env:)?)?[\w.-]{0,60}$/.test(
    before,
  );
}
