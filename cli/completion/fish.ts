import type { Place, Value } from './completion-places.ts';
import { optionNames } from './tables.ts';

export function fishScript(places: readonly Place[]): string {
  const paths = places
    .filter(({ path }) => path !== '')
    .map(({ path }) => {
      const words = path.split(' ');
      return `"${words.slice(0, -1).join(' ')}:${words.at(-1) ?? ''}"`;
    });
  const takers = new Set(
    places.flatMap(({ path, options }) =>
      options.flatMap((option) => optionNames(option).map((name) => `"${path}:${name}"`)),
    ),
  );
  const lines = places.flatMap(placeLines);
  return `# fish completion for gateway: gateway completion fish | source
# Parses the command line: the command, the number of its arguments, and the first argument.
function __gateway_read
    set -g __gateway_path ""
    set -g __gateway_key ""
    set -g __gateway_config ""
    set -g __gateway_count 0
    set -l option ""
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            test "$option" = --config; and set __gateway_config $word
            set option ""
            continue
        end
        switch "$__gateway_path:$word"
            case "*:--"
                set __gateway_path --
                return
            case ${paths.join(' ')}
                set __gateway_path (string trim -- "$__gateway_path $word")
            case ${[...takers].join(' ')}
                set option $word
            case "*:--config=*"
                set __gateway_config (string replace -- --config= "" $word)
            case "*:-*"
            case "*"
                test $__gateway_count = 0; and set __gateway_key $word
                set __gateway_count (math $__gateway_count + 1)
        end
    end
end
function __gateway_at
    __gateway_read
    test "$__gateway_path" = "$argv[1]"; and begin
        test (count $argv) = 1; or test $__gateway_count = $argv[2]
    end
end
function __gateway_stored
    __gateway_read
    set -l program (commandline -opc)[1]
    command $program --config "$__gateway_config" complete $argv[1] (commandline -ct) "$__gateway_key" 2>/dev/null </dev/null
end
function __gateway_list
    set -l before (string match -r -- '.*,' (commandline -ct | string replace -r -- '^--[^=]*=' ''))
    for word in $argv
        echo "$before$word"
    end
end
complete -c gateway -f
complete -c gateway -n '__gateway_at --' -a '(__fish_complete_subcommand --fcs-skip=(contains -i -- -- (commandline -opc)))'
${lines.join('\n')}
`;
}

function placeLines({ path, commands, options, args, rest }: Place): string[] {
  const at = `complete -c gateway -n '__gateway_at "${path}"'`;
  return [
    ...commands.map(({ text, description }) => `${at} -f -a ${text} -d '${description}'`),
    ...options.map(({ text, short, description, value }) => {
      const names = [`-l ${text.slice(2)}`, ...(short === undefined ? [] : [`-s ${short.slice(1)}`])].join(
        ' ',
      );
      return `${at} ${names} ${value === undefined ? '' : valueFlags(value)} -d '${description}'`;
    }),
    ...args.map((value, position) => argument(`"${path}" ${String(position)}`, value)),
    ...(rest === undefined ? [] : [argument(`"${path}"`, rest)]),
  ];
}

function argument(place: string, value: Value): string {
  const flags = valueFlags(value).replace(/^-x/, '-f').replace(/^-r /, '');
  return `complete -c gateway -n '__gateway_at ${place}' ${flags}`;
}

function valueFlags(value: Value): string {
  if (value === 'files') return '-r -F';
  if (value === 'folders') return `-x -a '(__fish_complete_directories (commandline -ct))'`;
  if (value === 'program') return `-x -a '(__fish_complete_command)'`;
  if (value === 'none') return '-x';
  if (typeof value === 'string') return `-x -a '(__gateway_stored ${value})'`;
  const words = value.words.join(' ');
  return value.isList ? `-x -a '(__gateway_list ${words})'` : `-x -a '${words}'`;
}
