import type { Span } from '../../text/span.ts';
import { findCardNumbers } from './card-number.ts';
import type { Detector, Finding } from '../finding.ts';
import { withoutOverlaps } from '../overlaps.ts';

const REACH = 160;

const LABEL = String.raw`(?:c[vs][vc]2?|cv[vc]2?|cav2?|cid|cvn2?|card verification (?:value|code|number)|card validation (?:value|code)|card security (?:code|number)|security code|verification code|prüf(?:nummer|ziffer)|kartenprüfnummer|sicherheitscode|código de seguridad|código de segurança|code de sécurité|cryptogramme(?: visuel)?|beveiligingscode|veiligheidscode|codice di sicurezza|安全码|安全碼|安全コード|セキュリティコード|检验码|驗證碼|验证码|보안코드|보안 코드|код безопасности|رمز الأمان|(?:رمز|رقم) التحقق|проверочный код|код проверки|सुरक्षा कोड)`;
/** `cvv: 123`, `"cvc":"123"`, `security code is 1234`. */
const LABELLED = new RegExp(
  String.raw`(?<![a-z0-9])${LABEL}(?:[ _-]?(?:code|number|num|no|value|код|कोड))?[\s"'\\:=#.()[\]>：＝（）-]{0,12}(?:(?:is|was|ist|lautet|es|est|è|é|是|为|為|は)[\s"':]{0,4})?(\d{3,4})(?![\d])`,
  'gdi',
);
/** `123 (CVV)`. */
const LABEL_AFTER = new RegExp(String.raw`(?<![\d])(\d{3,4})[\s"'(-]{1,4}${LABEL}(?![a-z0-9])`, 'gdi');
/** Card, expiry and code in a row, as in dumps: `4111…|12|2027|123`. */
const AFTER_EXPIRY =
  /[\s|,;:/]{1,4}(?:exp(?:iry|ires)?[ .:]{0,3})?(?:0[1-9]|1[0-2])[\s|/,-]{1,3}(?:20)?[2-4]\d[\s|,;:/]{1,4}(\d{3,4})(?![\d/-])/dy;

/** Finds card verification codes near a valid card number. Three digits alone prove nothing. */
export const findCvv: Detector = (text) => {
  const cards = withoutOverlaps(findCardNumbers(text, () => true));
  if (cards.length === 0) return [];
  const codes = [...codesOf(text, LABELLED), ...codesOf(text, LABEL_AFTER)].toSorted(
    (a, b) => a.start - b.start,
  );
  const spans = new Map<number, Span>();
  for (const code of besideCards(codes, cards)) spans.set(code.start, code);
  for (const code of afterExpiry(text, cards)) spans.set(code.start, code);
  return [...spans.values()].toSorted((a, b) => a.start - b.start).map(asFinding);
};

const asFinding = ({ start, end }: Span): Finding => ({
  detector: 'cvv',
  class: 'cvv',
  rule: 'cvv',
  start,
  end,
});

const codesOf = (text: string, pattern: RegExp): readonly Span[] =>
  [...text.matchAll(pattern)].flatMap((match) => {
    const group = match.indices?.[1];
    return group === undefined ? [] : [{ start: group[0], end: group[1] }];
  });

/** Returns the codes within `REACH` characters of a card, but not inside one. Walks both ordered arrays once. */
function besideCards(codes: readonly Span[], cards: readonly Span[]): readonly Span[] {
  let near = 0;
  let around = 0;
  return codes.filter((code) => {
    while ((cards[near]?.end ?? Infinity) + REACH < code.start) near += 1;
    while ((cards[around]?.end ?? Infinity) <= code.start) around += 1;
    const isInCard = (cards[around]?.start ?? Infinity) < code.end;
    return !isInCard && (cards[near]?.start ?? Infinity) - REACH <= code.end;
  });
}

const afterExpiry = (text: string, cards: readonly Span[]): readonly Span[] =>
  cards.flatMap(({ end }) => {
    AFTER_EXPIRY.lastIndex = end;
    const group = AFTER_EXPIRY.exec(text)?.indices?.[1];
    return group === undefined ? [] : [{ start: group[0], end: group[1] }];
  });
