/** Reports whether the text before a match confirms an attack. */
export type Confirm = (before: string, matched: string) => boolean;

export const LOOKBACK = 256;

const STATEMENT = /\b(?:select|insert|update|delete|create|from|where)\b/i;

/** An injection continues a statement that is not in the text, so no statement precedes it. */
export const isTail: Confirm = (before) => !STATEMENT.test(before);

/** Directly after a number, as in `1; drop table x`. */
export const isNumberTail: Confirm = (before, matched) =>
  isTail(before, matched) && /(?:^|[\s=:'"])-?\d{1,12}[)\s]{0,4}$/.test(before.slice(-20));

export const isStart: Confirm = (before) => before.trim() === '';

/** Directly after a quote, as in `' or 2 > 1`. */
export const isQuoteTail: Confirm = (before, matched) =>
  isTail(before, matched) && /(?:^|[\s=:\w])['"][)\s]{0,4}$/.test(before.slice(-20));

const currentLine = (before: string): string => before.slice(before.lastIndexOf('\n') + 1);

/** Counts the quotes of one kind, except apostrophes in words. */
function countQuotes(line: string, quote: string): number {
  let count = 0;
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) {
    const isApostrophe = /[a-z]/i.test(line.charAt(at - 1)) && /[a-z]/i.test(line.charAt(at + 1));
    if (!isApostrophe) count += 1;
  }
  return count;
}

/** After an unmatched quote on the same line, as in `x'; drop table y`. */
export const isBrokenOut: Confirm = (before) => {
  const line = currentLine(before);
  return ["'", '"'].some((quote) => countQuotes(line, quote) % 2 === 1);
};

export const beginsWithStrayQuote: Confirm = (before, matched) =>
  countQuotes(currentLine(before), matched.charAt(0)) % 2 === 0;

/** After SQL that expects a condition or value, unlike `sleep(5)` in a program. */
export const isCondition: Confirm = (before) =>
  /(?:\b(?:or|and|xor|rlike|having|by(?:\s{1,3}\d{1,3},){0,4})|\(\s{0,3}select|[%'"]\s{0,3}(?:\|\||&&|;)|;\s{0,3}select|\d\)*\s{0,3}(?:\|\||&&|;))[\s(]{0,6}$/i.test(
    before.slice(-24),
  );

/** Excludes SQL in an English sentence: "how does UNION SELECT differ from a join". */
export const isNotProse: Confirm = (before) =>
  !/\b(?:how|does|do|did|is|are|was|the|a|an|of|with|using|use|between|than|like|why|what|when|can|and|my|your) {1,4}$/i.test(
    before.slice(-24),
  );

/** Excludes method calls such as `time.sleep(5)`. */
export const isNotMember: Confirm = (before) => !/[.\w]$/.test(before);

export const either =
  (...confirms: readonly Confirm[]): Confirm =>
  (before, matched) =>
    confirms.some((confirm) => confirm(before, matched));

export const both =
  (...confirms: readonly Confirm[]): Confirm =>
  (before, matched) =>
    confirms.every((confirm) => confirm(before, matched));
