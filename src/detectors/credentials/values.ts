import { isPublishedSample } from '../secrets/published-samples.ts';
import { entropyOf, isPlaceholder, isRandom } from '../secrets/randomness.ts';

/** Longer values are text, or secrets with their own format. */
export const MAX_VALUE_CHARS = 256;
const MIN_CHARS = 5;
const MIN_KEY_CHARS = 16;
const MIN_KEY_ENTROPY = 3;

/** Words used in placeholders, labels and code. A value of only these words is not a credential. */
const STAND_INS: ReadonlySet<string> = new Set(
  [
    'password passwords passwort passwd passphrase passcode pass pwd pw passw secret secrets token tokens key keys api auth oauth',
    'kennwort contrasena senha mot de passe login signin signup logout user users username name email mail phone account',
    'admin administrator root guest owner test tests testing tester tested unit example examples sample demo dummy fake mock stub',
    'foo bar baz qux quux lorem ipsum hello world change changeme changeit me it this that my your our their the a an any some',
    'new old current previous next last first second confirm confirmation verify enter insert replace with here there goes',
    'super strong weak secure safe good bad wrong correct valid invalid incorrect random real actual placeholder redacted hidden',
    'masked default db database sql mysql postgres postgresql redis mongo mongodb rabbitmq elastic kafka server client service',
    'app application company acme value values val string str text field input label hint hash hashed salt encrypted decrypted',
    'encoded decoded plain raw env var variable config setting settings null none nil undefined true false yes no on off empty',
    'required optional todo tbd fixme x xx xxx abc abcd abcde abcdef abcdefg abcdefgh qwerty qwertz and or is are for to of in from by not',
    'reset forgot forgotten update create generate generated get set unset put must should be can same as at least min max length',
    'type data file path url uri id host port base utf md sha int uint float varchar char bytes byte buf buffer array object',
    'bearer basic digest public private shared access refresh session cookie csrf signing encryption master webhook jwt hmac',
    'prompt ask read stdin visible show toggle button icon page form view screen message error errors err msg info warning',
    'cluster node instance proxy domain site web http https ssh ftp smtp imap ldap tls ssl wifi vpn git docker aws keystore truststore',
    'cert certificate pem pfx github gitlab npm bot chat xyz anonymous root toor keyring namespace identity grant levels',
    'dev prod staging local localhost mypass mypassword secretpassword supersecret topsecret letmein',
  ]
    .join(' ')
    .split(' '),
);

/** Parts of compound words such as `mysecretpassword`. */
const GLUED =
  /password|passwort|passwd|passphrase|changeme|changeit|secret|example|placeholder|redacted|default/gi;
const ESCAPED = /%[\dA-F]{2}/gi;
const SEGMENT = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\x00-\x7f]+/g;
const KEYBOARD_DIGITS =
  /^(?:0?1234567890?|0?12345678?9?|123456|12345|1234|123|12|\d|(\d)\1+|0?321|654321|20[12]\d)$/;

/** Placeholders in templates, shells, configurations and manuals. */
const TEMPLATE =
  /\$\{|\$\(|\{\{|\}\}|<%|%>|#\{|\*{3}|\.{3}|…|•|●|x{4}|%\(|%[sdrvq]\b|^\$[\w:.]+(?:\$|-)?$|^[A-Za-z]+=$|^\$env:|^\$\$|^%\w*%?$|^@\w+@$|^__\w+__$|^<.*>$|^\[.*\]$|^\{.*\}$|^(.)\1*$/i;
const REFERENCE =
  /^(?:vault|secrets?|env|file|op|ssm|gcp|aws|azure|kms|sops|ref\+\w*|https?|data|sha\d*|arn|projects|process|os|import|system|environ|secretsmanager|keyring|pass):?[:/.[]|^(?:\.{0,2}\/|~\/|[A-Za-z]:\\|\\\\|#)/i;
const CODE = /\w\(|\(\)|=>|\|\||&&|\?\?|[^=]={2,3}[^=\s]|!==?|\\[sSdDwWbnrtx]|^[[({<|?)\]}.,:=~`/]/;

/** Members and constants in code. */
const MEMBER =
  /^[!&*+-]{0,2}(?:this|self|super|cls|req|request|res|ctx|context|args|opts|options|props|state|params|exports|module|window|document)\b[.?[]|^[!&*+-][A-Za-z_]\w*(?:\.\w+)+$|^0x[\da-f]{1,16}$/i;

export function isStandIn(value: string): boolean {
  if (isPlaceholder(value) || isPublishedSample(value) || MEMBER.test(value)) return true;
  if (TEMPLATE.test(value) || REFERENCE.test(value) || CODE.test(value)) return true;
  const read = value.replace(ESCAPED, ' ');
  const rest = read.replace(GLUED, ' ');
  const words = (rest.match(SEGMENT) ?? []).filter((word) => !STAND_INS.has(word.toLowerCase()));
  if (words.length > 0) return false;
  const digits = rest.match(/\d+/g) ?? [];
  const isStrong = /[a-z]/.test(read) && /[A-Z]/.test(read) && /\d/.test(read) && /[!@#$%^&*?+]/.test(read);
  return !isStrong && digits.every((run) => KEYBOARD_DIGITS.test(run));
}

const hasLetter = (value: string): boolean => /[A-Za-z\u00c0-\uffff]/.test(value);
const hasDigit = (value: string): boolean => /\d/.test(value);
/** An identifier, or a path of identifiers. */
const IDENTIFIER = /^[A-Za-z_$@][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$#][\w$]*)*$/;
const LETTERS = /^\p{L}+$/u;
const NUMBERED =
  /base(?:32|64)|utf_?(?:8|16)|sha_?(?:1|256|384|512)|md5|u?int(?:8|16|32|64)|aes_?(?:128|256)|argon2|scrypt|pbkdf2|bcrypt|oauth2|i18n|l10n/i;
/** A lowercase passphrase. */
const WORDS = /^[a-z]{3,}(?: [a-z]{2,}){3,11}$/;
const SENTENCE =
  /\b(?:the|your|you|must|should|is|are|for|of|to|and|at|be|in|with|this|that|please|enter|not)\b/;
const KEBAB = /^[a-z]{4,}(?:-[a-z]{3,}){2,}$/;
const MIN_LETTERS = 12;
const MIN_DIGITS = 6;

export interface Standing {
  readonly isQuoted: boolean;
  /** Whether code is excluded: in `NAME=value` alone on its line, after a flag, in a tag or in SQL. */
  readonly isPlain: boolean;
  /** Whether the name denotes a passphrase, which contains spaces. */
  readonly takesWords: boolean;
  /** Whether the name is a short word, which a number may follow in ordinary text. */
  readonly isShortName: boolean;
}

export function isPassword(value: string, { isQuoted, isPlain, takesWords, isShortName }: Standing): boolean {
  if (value.length < MIN_CHARS || value.length > MAX_VALUE_CHARS) return false;
  if (/\s/.test(value)) return takesWords && WORDS.test(value) && !SENTENCE.test(value);
  if (isStandIn(value)) return false;
  if (!hasLetter(value)) return isNumber(value, isShortName);
  if (LETTERS.test(value)) return isWord(value, isPlain);
  if (IDENTIFIER.test(value)) return isIdentifierPassword(value, isPlain);
  if (KEBAB.test(value)) return true;
  if (/^[\p{L}_.:/-]+$/u.test(value)) return isPlain && !/[./:]/.test(value);
  return isQuoted || isPlain || !/[()[\]{}]/.test(value);
}

function isNumber(value: string, isShortName: boolean): boolean {
  return !isShortName && /^\d+$/.test(value) && value.length >= MIN_DIGITS;
}

/** Rejects words that denote a password in labels, translations and types. */
function isWord(value: string, isPlain: boolean): boolean {
  if (isPlain) return true;
  return value.length >= MIN_LETTERS && /^[a-z]+$/.test(value);
}

function isIdentifierPassword(value: string, isPlain: boolean): boolean {
  if (!hasDigit(value)) return isPlain && !/[.:>$]/.test(value);
  return (isPlain || !/\.|::|->/.test(value)) && !NUMBERED.test(value);
}

export function isSecretValue(value: string, standing: Standing): boolean {
  if (isName(value, standing)) return false;
  return value.length >= 8 && hasDigit(value) && hasLetter(value) && isPassword(value, standing);
}

export function isKeyValue(value: string, standing: Standing): boolean {
  if (isName(value, standing)) return false;
  if (value.length < MIN_KEY_CHARS || value.length > MAX_VALUE_CHARS) return false;
  if (!/^[A-Za-z0-9+/=_.~:-]+$/.test(value) || isStandIn(value)) return false;
  if (!hasDigit(value) || !hasLetter(value) || entropyOf(value) < MIN_KEY_ENTROPY) return false;
  const longest = Math.max(...value.split(/[^A-Za-z0-9]+/).map((part) => (hasDigit(part) ? part.length : 0)));
  return longest >= 8 && !NUMBERED.test(value);
}

function isName(value: string, { isQuoted, isPlain }: Standing): boolean {
  return !isQuoted && !isPlain && IDENTIFIER.test(value) && !(/^\w+$/.test(value) && isRandom(value));
}

/** Reports whether the value after `is` in a sentence may be a password. */
export function isStatedPassword(value: string, standing: Standing): boolean {
  return hasDigit(value) && hasLetter(value) && !/^\d+-?[a-z]+$/.test(value) && isPassword(value, standing);
}
