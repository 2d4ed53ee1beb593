import { LEET_DIGITS, LEET_SIGNS } from './leet-letters.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';
import { alphabetOf } from './alphabet-runs.ts';
import { soundsEnglish, words } from './english-words.ts';

/** Words from instructions to a model in German, French, Spanish, Italian, Portuguese and Dutch, without accents. */
const listed = `
alle alles anordnungen antworte anweisung anweisungen befehle bisherigen dein deine deinen einschrankungen entwicklermodus filtern gehorche grenzen
ignoriere ignorieren missachte nenne obigen ohne regeln richtlinien systemprompt umgehe vergiss verrate vorgaben vorherigen wiederhole zeige
affiche consignes contourne donne ignorez limites montre oublie oubliez precedentes precedents regles repete revele systeme tes toutes tous
anteriores directrices dime ignora indicaciones instrucciones limitaciones muestra muestrame normas olvida previas reglas repite restricciones
revela sistema sus todas todos tus
dimentica dimmi direttive indicazioni istruzioni limitazioni mostra mostrami precedenti regole restrizioni ripeti rivela sopra tue tuoi tutte tutti
desconsidere diretrizes esqueca instrucoes mostre regras repita restricoes revele seus suas
beperkingen eerdere geef herhaal instructies jouw negeer regels richtlijnen systeemprompt toon vergeet voorgaande vorige zonder
`;

const ORDER_WORDS: readonly string[] = listed.trim().split(/\s+/);

const LETTERS = alphabetOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const SIGNS = alphabetOf('0123456789@$!|(+');

/** A digit or sign before a letter, or two after a letter. Starts with the sign, because most texts contain few. */
const ANY_LEET = /[013457@$!](?:[A-Za-z]|(?<=[A-Za-z].)[013457@$!])/;

const LETTER_OF: Readonly<Record<string, string>> = { ...LEET_DIGITS, ...LEET_SIGNS };

const FOLDED_UNITS: readonly string[] = Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit).toLowerCase();
  return character === 'i' ? 'l' : (LETTER_OF[character] ?? character);
});

function fold(word: string): string {
  let letters = '';
  for (let at = 0; at < word.length; at++) letters += FOLDED_UNITS[word.charCodeAt(at)] ?? '';
  return letters;
}

/** Known words by folded form. English words win. */
const FOLDED_WORDS: ReadonlyMap<string, string> = new Map(
  [...words, ...ORDER_WORDS].reverse().map((word) => [fold(word), word]),
);

const MAX_TOKEN_UNITS = 32;

interface Token {
  readonly start: number;
  readonly end: number;
  readonly source: string;
  readonly word: string | undefined;
}

/**
 * Stage 5, second part: reads digits and signs as letters in lines where they spell at least two words, or a long one.
 * Raises no flag, because codes, names and versions look the same.
 */
export function readLeet(text: string): StageResult {
  if (!ANY_LEET.test(text)) return unchanged(text);
  const edited = new EditedText(text);
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(start, end);
    if (ANY_LEET.test(line)) readLeetLine(line, start, edited);
    start = end + 1;
  }
  return stageResult(edited, false);
}

function readLeetLine(line: string, offset: number, edited: EditedText): void {
  const found = leetTokens(line);
  const points = found.reduce((sum, token) => sum + tokenPoints(token), 0);
  if (points < 2) return;
  for (const token of found) {
    const plain = withoutLeet(token, points >= 4);
    if (plain === undefined) continue;
    edited.replace(offset + token.start, offset + token.end, withCase(token.source, plain));
  }
}

/** Finds tokens with a digit or sign, without trailing punctuation. */
function leetTokens(line: string): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < line.length; at++) {
    const start = at;
    let signs = 0;
    for (; at < line.length; at++) {
      const unit = line.charCodeAt(at);
      if (SIGNS[unit] === 1) signs++;
      else if (LETTERS[unit] !== 1) break;
    }
    if (signs === 0 || at - start > MAX_TOKEN_UNITS) continue;
    const token = readToken(line.slice(start, at), start);
    if (token !== undefined) found.push(token);
  }
  return found;
}

function readToken(whole: string, start: number): Token | undefined {
  const exact = /^[A-Za-z]+[!|(+]+$/.test(whole) ? undefined : FOLDED_WORDS.get(fold(whole));
  const source = exact === undefined ? whole.replace(/(?<![!|(+])[!|(+]+$/, '') : whole;
  if (!/[0-9@$!|(+]/.test(source)) return undefined;
  const word = exact ?? (source === whole ? undefined : FOLDED_WORDS.get(fold(source)));
  return { start, end: start + source.length, source, word };
}

/** `step5` and `20s` are not evidence. */
function tokenPoints({ source, word }: Token): number {
  if (word === undefined || word.length < 3 || !/[A-Za-z]/.test(source)) return 0;
  if (!/[0-9@$!|(+]./.test(source) || /^[0-9]+[A-Za-z]{1,2}$/.test(source)) return 0;
  return word.length >= 6 ? 2 : 1;
}

/** Reads tokens without letters as words only in lines full of leet. */
function withoutLeet({ source, word }: Token, isDense: boolean): string | undefined {
  const hasLetter = /[A-Za-z]/.test(source);
  if (word !== undefined && word.length > 1 && (hasLetter || isDense)) return word;
  if (!hasLetter || !isDense || source.length < 3) return undefined;
  const guess = plain(source);
  return /^[a-z]+$/i.test(guess) && soundsEnglish(guess) ? guess : undefined;
}

const plain = (source: string): string =>
  source.replace(/[0-9@$!|(+]/g, (sign) => (sign === '1' || sign === '!' ? 'i' : (LETTER_OF[sign] ?? sign)));

function withCase(source: string, word: string): string {
  const letters = source.replace(/[^A-Za-z]/g, '');
  if (letters.length > 1 && letters === letters.toUpperCase()) return word.toUpperCase();
  return /^[A-Z]/.test(source) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
