import { buildKeywordAutomaton, type KeywordTable } from '../secrets/keywords.ts';

/** Name kinds, by the values that may follow. */
export type NameKind =
  /** Any value that is neither a placeholder nor code. */
  | 'password'
  /** A short name, which needs a word boundary. Its value is not a plain number. */
  | 'short'
  /** A value of at least eight characters, with letters and digits. */
  | 'secret'
  /** A value that appears random, after a name that begins a word. */
  | 'key'
  /** A configuration file directive, with its value after a space. */
  | 'directive'
  /** The `://` before a user and a password, or before a token. */
  | 'url'
  | 'pgpass'
  | 'user_flag'
  | 'password_flag'
  | 'sql'
  | 'literal';

/** Lowercase ASCII names. Other names are in `FOREIGN_NAMES`. */
const NAMES: Readonly<Record<NameKind, readonly string[]>> = {
  password: [
    'password',
    'passwd',
    'passwort',
    'passphrase',
    'pass_phrase',
    'passcode',
    'pwd',
    'kennwort',
    'contrasena',
    'motdepasse',
    'mot_de_passe',
    'mot-de-passe',
    'mot de passe',
    'wachtwoord',
    'adgangskode',
    'salasana',
    'passord',
    'storepass',
    'keypass',
    'bindpw',
    'rootpw',
  ],
  short: ['pass', 'pw', 'mdp', 'senha', 'parola', 'heslo', 'haslo', 'losenord', 'jelszo'],
  secret: ['secret'],
  key: [
    'api_key',
    'apikey',
    'api-key',
    'api key',
    'secret_key',
    'secretkey',
    'secret-key',
    'access_key',
    'accesskey',
    'access-key',
    'account_key',
    'accountkey',
    'account-key',
    'auth_key',
    'authkey',
    'master_key',
    'masterkey',
    'encryption_key',
    'encryptionkey',
    'signing_key',
    'signingkey',
    'token',
  ],
  directive: ['requirepass', 'masterauth', 'rediscli_auth'],
  url: ['://'],
  pgpass: [':5432:', ':5433:', ':6432:', ':*:'],
  user_flag: ['-u', '--user', '--proxy-user'],
  password_flag: ['-p', ' -a'],
  sql: ['identified'],
  literal: ['convertto-securestring'],
};

const list = Object.entries(NAMES).flatMap(([kind, names]) =>
  names.map((name) => ({ name, kind: kind as NameKind })),
);

let automaton: KeywordTable | undefined;

const FOREIGN_NAMES =
  /парол[ьяеюи]м?|密码|密碼|口令|パスワード|비밀번호|كلمة (?:ال)?(?:مرور|سر)|पासवर्ड|contrase(?:ñ|n\u0303)a|hasło|l(?:ö|o\u0308)senord|jelsz(?:ó|o\u0301)|κωδικ[όο]ς|סיסמה|mật khẩu|(?:ş|s\u0327)[iİ]fre|รหัสผ่าน/giu;
/** The lowest non-ASCII code unit that `FOREIGN_NAMES` matches: `Ñ`. */
const FIRST_FOREIGN = 0xd1;

/** Visits the names in a text. Texts with foreign letters are scanned twice. */
export function eachName(text: string, visit: (kind: NameKind, start: number, end: number) => void): void {
  automaton ??= buildKeywordAutomaton(list.map(({ name }) => name));
  const { classes, next, firstEnding, endsOf } = automaton;
  let isForeign = false;
  let state = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      state = 0;
      isForeign ||= code >= FIRST_FOREIGN;
      continue;
    }
    state = next[state + (classes[code] ?? 0)] ?? 0;
    if (state < firstEnding) continue;
    for (const index of endsOf(state)) {
      const { name, kind } = list[index] ?? NO_NAME;
      visit(kind, at + 1 - name.length, at + 1);
    }
  }
  if (!isForeign) return;
  for (const { index, 0: name } of text.matchAll(FOREIGN_NAMES))
    visit('password', index, index + name.length);
}

const NO_NAME = { name: '', kind: 'short' } as const;
