import type { Place, Word } from './words.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The script that a shell loads to complete the program's commands and options. */
export function completionScript(shell: Shell, places: readonly Place[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}

function paths(places: readonly Place[]): readonly string[] {
  return places.map(({ path }) => path).filter((path) => path !== '');
}

/** A `case` pattern of a word that goes on with a path: the path so far, a colon, the word. */
function pathArms(places: readonly Place[]): string {
  return paths(places)
    .map((path) => {
      const words = path.split(' ');
      return `"${words.slice(0, -1).join(' ')}:${words.at(-1) ?? ''}"`;
    })
    .join('|');
}

function bashScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words }) => `    "${path}") words="${words.map(({ text }) => text).join(' ')}" ;;`,
  );
  return `# bash completion of gateway: source <(gateway completion bash)
_gateway() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" word words="" index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ "$word" == "--" ]]; then
      COMPREPLY=($(compgen -c -- "$cur"))
      return
    fi
    case "$at:$word" in
    ${pathArms(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _gateway gateway
`;
}

function zshScript(places: readonly Place[]): string {
  const entry = ({ text, meaning }: Word): string => `'${text}:${meaning.replaceAll(':', ' ')}'`;
  const cases = places.map(({ path, words }) => `    "${path}") entries=(${words.map(entry).join(' ')}) ;;`);
  return `#compdef gateway
# zsh completion of gateway: source <(gateway completion zsh)
_gateway() {
  local at="" word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ "$word" == "--" ]]; then
      _command_names -e
      return
    fi
    case "$at:$word" in
    ${pathArms(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  _describe 'gateway' entries || _files
}
compdef _gateway gateway
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ text, meaning }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-f -a ${text}`;
      return `complete -c gateway -n '__gateway_at "${path}"' ${what} -d '${meaning}'`;
    }),
  );
  return `# fish completion of gateway: gateway completion fish | source
function __gateway_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        switch "$at:$word"
            case ${pathArms(places).replaceAll('|', ' ')}
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}
