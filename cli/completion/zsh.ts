import type { Place, Word } from './completion-places.ts';
import { caseTables } from './tables.ts';

export function zshScript(places: readonly Place[]): string {
  const { paths, values, args } = caseTables(places);
  const entry = ({ text, description }: Word): string => `'${text}:${description.replaceAll(':', ' ')}'`;
  const words = places.map(
    ({ path, commands, options }) =>
      `    "${path}") commands=(${commands.map(entry).join(' ')}) options=(${options.map(entry).join(' ')}) ;;`,
  );
  return `#compdef gateway
# zsh completion for gateway: source <(gateway completion zsh)
_gateway_complete() { # arguments: the kind of value, then its words
  local kind="$1" line
  local -a found
  shift
  case "$kind" in
  words) compadd -- "$@" ;;
  list)
    compset -P '*,'
    compadd -S '' -- "$@"
    ;;
  files) _files ;;
  folders) _files -/ ;;
  program) _command_names -e ;;
  keys | sessions | escalations | servers)
    for line in "\${(@f)$("\${words[1]/#\\~/$HOME}" --config "$config" complete "$kind" "\${(Q)PREFIX}" "$key" 2>/dev/null </dev/null)}"; do
      [[ -n "$line" ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    done
    _describe -t "$kind" "$kind" found
    ;;
  esac
}
_gateway() {
  local at="" word want="" key="" config="" option="" position=0 index
  local -a commands options
  for ((index = 2; index < CURRENT; index++)); do
    word="\${(Q)words[index]}"
    if [[ -n "$want" ]]; then
      [[ "$option" == --config ]] && config="$word"
      want=""
      continue
    fi
    if [[ "$word" == "--" ]]; then
      ((CURRENT == index + 1)) && _command_names -e || _files
      return
    fi
    case "$at:$word" in
    ${paths}) at="\${at:+$at }$word" ;;
    *:--*=*) [[ "$word" == --config=* ]] && config="\${word#*=}" ;;
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
  word="$PREFIX"
  if [[ -z "$want" && "$word" == --*=* ]]; then
    case "$at:\${word%%=*}" in
${values}
    esac
    [[ -n "$want" ]] && compset -P '*='
  elif [[ -z "$want" && "$word" != -* ]]; then
    case "$at:$position" in
${args}
    esac
  fi
  case "$at" in
${words.join('\n')}
  esac
  if [[ -n "$want" ]]; then
    _gateway_complete \${=want}
  elif [[ "$word" == -* || \${#commands} == 0 ]]; then
    _describe -t options option options
  else
    _describe -t commands command commands
  fi
}
compdef _gateway gateway
`;
}
