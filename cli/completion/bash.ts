import type { Place } from './completion-places.ts';
import { caseTables } from './tables.ts';

/** Returns the completion script for bash 3.2 and newer. */
export function bashScript(places: readonly Place[]): string {
  const { paths, values, args } = caseTables(places);
  const words = places.map(
    ({ path, commands, options }) =>
      `    "${path}") commands="${commands.map(({ text }) => text).join(' ')}" options="${options.map(({ text }) => text).join(' ')}" ;;`,
  );
  return `# bash completion for gateway: source <(gateway completion bash)
_gateway_offer() { # one candidate per line, then a tab and its description
  local value before="\${cur%"\${cur##*:}"}"
  while IFS=$'\\t' read -r value _; do
    [[ -n "$value" && "$value" == "$cur"* ]] || continue
    value="\${value#"$before"}"
    [[ "$value" == *[!A-Za-z0-9_.,:/@%+=-]* ]] && printf -v value '%q' "$value"
    COMPREPLY+=("$value")
  done
}
_gateway_complete() { # arguments: the kind of value, then its words
  local list="" kind="$1"
  shift
  local IFS=$'\\n'
  case "$kind" in
  words) _gateway_offer < <(printf '%s\\n' "$@") ;;
  list)
    [[ "$cur" == *,* ]] && list="\${cur%,*},"
    _gateway_offer < <(printf "$list%s\\n" "$@")
    compopt -o nospace 2>/dev/null
    ;;
  files)
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
    ;;
  folders)
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "$cur"))
    ;;
  program) COMPREPLY=($(compgen -c -- "$cur")) ;;
  keys | sessions | escalations | servers)
    _gateway_offer < <("\${COMP_WORDS[0]/#\\~/$HOME}" --config "$config" complete "$kind" "$cur" "$key" 2>/dev/null </dev/null)
    ;;
  esac
}
_gateway() {
  local cur="" at="" word="" want="" key="" config="" option="" position=0 commands="" options="" index IFS=$' \\t\\n'
  COMPREPLY=()
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    # readline splits words at = and :. Join them again.
    if [[ "$word" == "=" && -n "$want" ]]; then
      cur=""
      continue
    fi
    while [[ "\${COMP_WORDS[index + 1]}" == ":" && $index -lt $COMP_CWORD ]]; do
      word="$word:\${COMP_WORDS[index + 2]}"
      ((index += 2))
    done
    cur="$word"
    ((index >= COMP_CWORD)) && break
    if [[ -n "$want" ]]; then
      [[ "$option" == --config ]] && config="$word"
      want=""
      continue
    fi
    if [[ "$word" == "--" ]]; then
      cur="\${COMP_WORDS[COMP_CWORD]}"
      ((COMP_CWORD == index + 1)) && _gateway_complete program || _gateway_complete files
      return
    fi
    case "$at:$word" in
    ${paths}) at="\${at:+$at }$word" ;;
    *:-*)
      option="$word"
      case "$at:$word" in
${values}
      esac
      ;;
    *)
      ((position == 0)) && key="$word"
      ((position++))
      ;;
    esac
  done
  if [[ -z "$want" && "$cur" != -* ]]; then
    case "$at:$position" in
${args}
    esac
  fi
  case "$at" in
${words.join('\n')}
  esac
  if [[ -n "$want" ]]; then
    _gateway_complete $want
  elif [[ "$cur" == -* || -z "$commands" ]]; then
    _gateway_complete words $options
  else
    _gateway_complete words $commands
  fi
}
complete -F _gateway gateway
`;
}
