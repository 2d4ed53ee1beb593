import type { OptionWord, Place, Value } from './completion-places.ts';

/** `case` patterns for bash and zsh. */
export interface Tables {
  /** `at:word` patterns for subcommands. */
  readonly paths: string;
  /** `at:option` patterns, each with the value that the option takes. */
  readonly values: string;
  /** `at:position` patterns, each with the value of the argument. */
  readonly args: string;
}

/** Returns the tables shared by the bash and zsh scripts. Both scripts keep the command so far in `at`. */
export function caseTables(places: readonly Place[]): Tables {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(joinLast(path)));
  const options = places.flatMap(({ path, options }) =>
    options.flatMap((option) =>
      optionNames(option).map((name) => [quoted(`${path}:${name}`), option.value] as const),
    ),
  );
  const args = places.flatMap(({ path, args, rest }) => [
    ...args.map((value, at) => [quoted(`${path}:${String(at)}`), value] as const),
    ...(rest === undefined ? [] : [[`${quoted(`${path}:`)}*`, rest] as const]),
  ]);
  return { paths: paths.join('|'), values: arms(options), args: arms(args) };
}

/** Returns the long and short form of an option, or an empty array if the option takes no value. */
export function optionNames({ text, short, value }: OptionWord): readonly string[] {
  if (value === undefined) return [];
  return short === undefined || short === text ? [text] : [text, short];
}

/** Returns a value as one word list whose first word is its kind: `files`, `words a b`, `list a b`. */
function valueText(value: Value): string {
  if (typeof value === 'string') return value;
  return [value.isList ? 'list' : 'words', ...value.words].join(' ');
}

/** Returns one line per value to keep the script short. */
function arms(entries: readonly (readonly [string, Value | undefined])[]): string {
  const byValue = new Map<string, string[]>();
  for (const [pattern, value] of entries) {
    if (value === undefined) continue;
    const text = valueText(value);
    byValue.set(text, [...(byValue.get(text) ?? []), pattern]);
  }
  return [...byValue].map(([text, patterns]) => `    ${patterns.join('|')}) want="${text}" ;;`).join('\n');
}

function joinLast(path: string): string {
  const words = path.split(' ');
  return `${words.slice(0, -1).join(' ')}:${words.at(-1) ?? ''}`;
}

function quoted(text: string): string {
  return `"${text}"`;
}
