export interface DifferentLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Maximum number of lines compared, because comparing more takes too long. */
const MAX_LINES = 1_000;

/** Compares two texts by the longest common subsequence of their lines. Long texts become removed and added lines. */
export function difference(before: string, after: string): readonly DifferentLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  if (old.length > MAX_LINES || fresh.length > MAX_LINES) {
    return [...old.map(as('removed')), ...fresh.map(as('added'))];
  }
  const lengths = commonLengths(old, fresh);
  const lines: DifferentLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    if (at < old.length && to < fresh.length && old[at] === fresh[to]) {
      lines.push({ kind: 'same', text: old[at] ?? '' });
      at += 1;
      to += 1;
    } else if (
      to >= fresh.length ||
      (at < old.length && (lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0))
    ) {
      lines.push({ kind: 'removed', text: old[at] ?? '' });
      at += 1;
    } else {
      lines.push({ kind: 'added', text: fresh[to] ?? '' });
      to += 1;
    }
  }
  return lines;
}

function as(kind: DifferentLine['kind']) {
  return (text: string): DifferentLine => ({ kind, text });
}

/** `[i][j]`: length of the common subsequence of `old` from line i and `fresh` from line j. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    const [row, below] = [lengths[at], lengths[at + 1]];
    if (row === undefined || below === undefined) continue;
    for (let to = fresh.length - 1; to >= 0; to -= 1) {
      row[to] = old[at] === fresh[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
    }
  }
  return lengths;
}

/** Invisible characters, which can hide instructions to a model. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}]/gu;

/** Formats JSON with sorted members, line breaks in strings, and invisible characters as `\u{200B}`. */
export function readableJson(text: string): string {
  return inLines(text)
    .replaceAll(/\\\\|\\n/g, (escape) => (escape === '\\n' ? '\\n\n      ' : escape))
    .replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`);
}

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), sortMembers, 2);
  } catch {
    return text;
  }
}

function sortMembers(_name: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}
