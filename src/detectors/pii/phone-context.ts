import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isDigitCode, isWordCode } from '../characters.ts';

/** Reports whether a word, number or email address continues at `end`. An extension (`x`, `ext`) does not count. */
export function continuesAsNumber(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  return isDigitCode(next) || (isWordCode(next) && !/[xXeE]/.test(text.charAt(end))) || text[end] === '@';
}

const areasInUse = new Map<string, boolean>();

/** Reports whether a North American area code is assigned and the exchange is possible. */
export function isNanpNumber(area: string, exchange: string): boolean {
  if (!/^[2-9]/.test(exchange)) return false;
  const known = areasInUse.get(area);
  if (known !== undefined) return known;
  const isInUse = EXCHANGES.some(
    (any) => parsePhoneNumberFromString(`+1${area}${any}0100`)?.isValid() === true,
  );
  areasInUse.set(area, isInUse);
  return isInUse;
}

/** Several samples, because some areas have assigned only a few exchanges. */
const EXCHANGES = ['234', '345', '456', '567', '678', '789', '890', '921'];
