import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CARDS = 200;
export const REGO_FILES = 20;
const SENTENCE =
  'Please write a short note to the team about the release of next week, and what it changes. ';

/** English that no preset and none of these policies denies; it begins with `name`. */
export function promptOf(bytes: number, name: string): string {
  return `${name}: ${SENTENCE.repeat(Math.ceil(bytes / SENTENCE.length))}`.slice(0, bytes);
}

/** A new folder with 200 cards, each a file with a rule about the prompt. */
export function writeCards(folder: string): string {
  return write(folder, CARDS, (n) => [`card-${n}.yaml`, cardOf(n)]);
}

/** A new folder with 20 Rego files, each with a rule about the prompt and two about other things. */
export function writeRego(folder: string): string {
  return write(folder, REGO_FILES, (n) => [`rules-${n}.rego`, regoOf(n)]);
}

function write(folder: string, files: number, file: (n: number) => readonly [string, string]): string {
  mkdirSync(folder);
  for (let n = 0; n < files; n++) {
    const [name, text] = file(n);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function cardOf(n: number): string {
  return `metadata: { name: bench-${n}, version: '1' }
rules:
  - name: rule-${n}
    match: { type: llm_call }
    conditions:
      - { field: prompt_text, op: contains, value: 'forbidden phrase number ${n}' }
    action: deny
    reason: 'phrase ${n}'
`;
}

function regoOf(file: number): string {
  return `package gateway.policy

deny contains "phrase ${file}" if contains(input.action.normalized_prompt, "forbidden phrase number ${file}")

deny contains reason if {
  input.request.model == "model-${file}"
  input.agent.tags.team != "research"
  reason := sprintf("%v is for team research", [input.request.model])
}

deny contains "run the dry run first" if {
  input.request.tool_name == "run_command_${file}"
  not "dry_run_command" in input.session.tools_called
}
`;
}
