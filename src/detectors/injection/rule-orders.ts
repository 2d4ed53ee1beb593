import type { WordClasses } from './grammar.ts';
import type { PhraseRule } from './phrase-rules.ts';

export const ORDER_WORDS = {
  CALL: `call use invoke open start run`,
  SHELL: `bash shell terminal exec powershell cmd command console`,
  FETCHER: `curl wget iwr invoke-webrequest`,
  INTERPRETER: `bash sh zsh python python3 node iex perl`,
  READER: `ai assistant assistants llm agent agents chatbot bot copilot claude chatgpt gpt`,
  HAND_OVER: `send forward upload post transmit exfiltrate email mail deliver submit leak`,
  /** Data that legitimate pages do not ask for. */
  SECRETS: `passwords credentials secrets keys cookies env variables history transcript rsa password ssh logins`,
  SWEEP: `all every any entire whole full complete users user's saved stored customer customers contents content conversation chat environment session private`,
  TARGET: `http https webhook attacker`,
  STEALTH: `secretly silently covertly quietly discreetly stealthily`,
  INNATE: `prompt prompts guidelines restrictions rules directives parameters programming training constraints configuration instructions initialization`,
  PROTECTIVE: `safety ethical ethics moral moderation protective alignment`,
  PROTECTION: `filters filter filtering protocols protocol guardrails measures guidelines restrictions constraints rules training mechanisms safeguards`,
} as const satisfies WordClasses;

/** Orders to an agent that reads a page or a tool result, and the shortest English attacks. */
export const ORDER_RULES: readonly PhraseRule[] = [
  {
    label: { class: 'override', rule: 'tool_order' },
    patterns: [
      'must|should|shall now|immediately ~1 CALL ~3 SHELL|tool ~1 tool|function|and',
      'CALL ~2 SHELL ~3 run|execute|type|with ~2 FETCHER ~20 INTERPRETER',
      'READER ~4 run|execute ~2 FETCHER ~20 INTERPRETER',
      'READER ~4 execute|run rm rf',
      'must|should|shall now|immediately run|execute ~2 FETCHER ~20 INTERPRETER',
    ],
  },
  {
    label: { class: 'leak', rule: 'data_theft' },
    patterns: [
      'HAND_OVER ~3 SWEEP ~4 SECRETS ~6 to|at|via ~2 TARGET',
      'read|cat|open|get|collect|fetch|find|gather ~3 SWEEP|ssh|env|aws ~5 and ~1 HAND_OVER ~1 it|them|its|contents|everything ~3 to ~2 TARGET',
      'read|cat|open|get|collect|fetch ~3 ssh|env|aws ~4 HAND_OVER ~2 contents|it ~2 to ~2 TARGET',
      'STEALTH HAND_OVER ~5 SECRETS|emails|messages|mails|files|data ~6 to',
      'HAND_OVER ~8 without telling|informing|notifying|alerting the user',
    ],
  },
  {
    label: { class: 'override', rule: 'dismiss_instructions' },
    patterns: [
      'IGNORE|DEFY|OVERRULE|deactivate|disable|suspend|lift PROTECTIVE ~1 PROTECTION',
      'disregard|forget guidelines|guardrails|programming|restrictions and|then|now|$',
    ],
  },
  {
    label: { class: 'leak', rule: 'system_prompt' },
    patterns: [
      'DISCLOSE|TURN_OVER ~4 RULES_HARD|directive|rules ~1 behind|guiding|governing|shaping|underlying|controlling|driving|shapes|guides|governs|drives|steers|controls ~2 your ~1 responses|answers|behavior|behaviour|replies|output|outputs',
      'reveal|divulge|disclose|leak|expose ~1 your ~1 INNATE',
      'DISCLOSE|TURN_OVER ~2 your operational|operating|behavioral|behavioural|core ~1 INNATE',
      'DISCLOSE ~2 preprompt|metaprompt $',
      'reveal|show|disclose|expose|leak|dump|display|share|print|output|recite|repeat ~1 initialization $',
      'DISCLOSE ~1 your|real ~1 initialization $',
    ],
  },
  {
    label: { class: 'persona', rule: 'unlocked_mode' },
    patterns: [
      'you are no longer ~1 chatgpt|claude|gpt|gemini|ai|assistant|chatbot|llm|copilot',
      'youre no longer ~1 chatgpt|claude|gpt|gemini|ai|assistant|chatbot|llm|copilot',
      'forget ~1 you are|youre ~2 ai|assistant|chatbot|llm|chatgpt|claude',
      'forget youre ~2 ai|assistant|chatbot|llm|chatgpt|claude',
    ],
  },
];
