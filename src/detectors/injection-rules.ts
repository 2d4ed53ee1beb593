import type { FindingClass } from './finding.ts';

/** One rule: what it finds, and the ways to say it. */
export interface PhraseRule {
  readonly label: PhraseLabel;
  readonly patterns: readonly string[];
}

export interface PhraseLabel {
  readonly class: FindingClass;
  readonly rule: string;
}

/** Sentences that are an attack by themselves, in the notation of `compileGrammar`. */
export const PHRASE_RULES: readonly PhraseRule[] = [
  {
    label: { class: 'override', rule: 'dismiss_instructions' },
    patterns: [
      'IGNORE ~5 WHEN ~4 RULES',
      'IGNORE ~3 WHEN BACKGROUND and|then|just|instead|$',
      'IGNORE ~2 ALL ~3 WHEN ~2 CONTEXT',
      'IGNORE ~2 BACKGROUND WHEN and|then|just|instead|$',
      'IGNORE [about|all|any|completely|of] [of] YOUR ~2 RULES',
      'IGNORE ~3 YOUR ~1 WHEN|SYSTEM_ONLY|safety|content|security|ethical|moral|own ~1 RULES',
      'IGNORE ~1 ALL [of] [the|these|those|your] [system|safety|content|security|developer] RULES',
      'IGNORE ~1 these|those|such [system|safety|content|security|developer] RULES_HARD|rules',
      'IGNORE ~4 RULES ~3 WHEN',
      'IGNORE [all] the|your|any|all|its|these system|developer|safety|openai|anthropic ~1 RULES|message|filters',
      'IGNORE ~3 RULES ~3 you|u ~3 GIVEN',
      'OVERRULE ~3 WHEN ~2 RULES_HARD',
      'OVERRULE [all|any] [of] your ~2 RULES|filters',
      'OVERRULE all|every|any [the|safety|security|content|ethical] RULES_HARD|rules|filters|restrictions|safeguards|protocols',
      'OVERRULE the|all|any|its system|developer|safety|content|openai|anthropic ~1 RULES|filters',
      'IGNORE_SOFT ~3 WHEN ~2 RULES_HARD',
      'IGNORE_SOFT [all] [of] your ~2 RULES_HARD|rules|restrictions|filters',
      'WHEN ~4 RULES ~3 IGNORE_LAST',
      'RULES ~3 WHEN ~3 IGNORE_LAST',
    ],
  },
  {
    label: { class: 'override', rule: 'dismiss_everything' },
    patterns: [
      'IGNORE [about] ALL|what|whatever|anything [that] ~1 WHEN',
      'IGNORE [about] ALL|what|whatever|anything [that] [i|we|you|they|have|has] ~2 GIVEN',
      'IGNORE ALL ~2 you ~4 GIVEN',
      'IGNORE [all] [of] the above|foregoing|previous|preceding and|then|instead|now|$',
      'vergiss|vergessen|ignoriere ~2 alles ~2 zuvor|davor|bisher|vorher|oben',
      'oublie|oubliez|ignore ~1 tout ~4 avant|précède|dit|appris',
      'olvida|olvide|ignora ~1 todo ~4 antes|anterior|dicho|aprendido',
      'забудь|забудьте|игнорируй ~1 все|всё ~4 раньше|сказано|выше|знал|знаешь',
    ],
  },
  {
    label: { class: 'override', rule: 'stop_following' },
    patterns: [
      'NOT ~1 FOLLOW [to|by|with|any] ~3 WHEN ~2 RULES|CONTEXT',
      'NOT [longer] FOLLOW [to|by|with] ~2 your ~2 RULES',
      'pay no attention to ~3 WHEN|your ~2 RULES|CONTEXT',
      'IGNORE_PHRASE ~2 WHEN|your ~2 RULES ~1 aside|away',
      'IGNORE_PHRASE aside ~2 WHEN|your ~2 RULES',
      'WHEN|your ~1 RULES ~1 longer apply|applies|valid|matter|bind',
      'WHEN|your ~1 RULES are|is|were|become ~2 OBSOLETE',
      'WHEN|your ~1 RULES do|does ~1 not|longer apply|matter',
      'treat|consider|regard|deem|mark ~2 WHEN|your ~2 RULES ~2 OBSOLETE',
      'do not follow|obey ~2 WHEN ~2 RULES',
    ],
  },
  {
    label: { class: 'override', rule: 'new_instructions' },
    patterns: [
      'your new|real|actual|true|updated RULES_HARD is|are|will|follow',
      'here are|is your new|real|actual|updated RULES_HARD',
      'system|administrator|admin|developer|emergency|security override display|print|reveal|show|output|enabled|activated|engaged|initiated|ignore|disable',
    ],
  },
  {
    label: { class: 'override', rule: 'task_hijack' },
    patterns: [
      'before you ~3 solve|complete|continue|finish|answer|do|perform|proceed ~3 task|request|question ~8 first|following',
      'important message|notice|instruction|instructions ~6 to you|ai|assistant|llm|model',
      'instead of ~5 task|instructions you ~2 asked|given|told',
      'attention ai|llm|assistant|agent|agents|assistants|models',
      'do not tell|inform|alert|notify ~2 user ~2 this|these ~1 instruction|instructions|message|action|request',
    ],
  },
  {
    label: { class: 'leak', rule: 'system_prompt' },
    patterns: [
      'DISCLOSE ~4 your|ur ~3 SYSTEM_ONLY ~2 PROMPT',
      'DISCLOSE ~4 the|these|this|its|all|any|me ~2 SYSTEM_ONLY ~1 prompt|prompts|instructions|directives',
      'DISCLOSE ~2 the|your|this|full|entire|any|me ~1 system|hidden|secret|developer message|prompt',
      'DISCLOSE [me] SYSTEM_ONLY prompt|prompts|instructions|directives',
      'DISCLOSE ~2 your ~3 prompt|prompts|instructions|directives|programming|preprompt',
      'DISCLOSE ~3 WHEN ~1 prompt|prompts|instructions|directives',
      'DISCLOSE ~3 RULES_HARD WHEN|verbatim',
      'DISCLOSE ~3 instructions|prompt|guidelines|rules|directives ~3 you ~4 given|told|received|follow|programmed',
      'REPEAT ~2 the|all|every|full ~1 text|words|content|contents|everything|lines WHEN',
      'REPEAT all|everything [of] [the] above|before|previous|preceding',
      'what is|are|was|were ~3 your system prompt|instructions|message|directives',
      'what is|are|was|were ~1 the system prompt|instructions',
      'what is|are|was|were|do ~1 your ~1 SYSTEM_ONLY PROMPT',
      'what ~1 you ~2 told|instructed|given WHEN',
      'what ~2 WHEN [system] instructions|prompt you ~3 given|told|received',
      'output|print|reveal|show|display|return|dump|expose|disclose ~1 initialization|system string|configuration|config',
      'complete|finish|continue ~3 sentence|phrase|text|following ~4 my|i|you ~3 instructions|instructed|prompt|told',
      'complete|finish|continue ~3 sentence|phrase|text|following ~4 SYSTEM_ONLY ~1 PROMPT',
      'start|begin ~3 with ~2 my instructions are',
      'zeige|zeig|nenne|verrate|wiederhole|gib ~3 systemprompt|systemanweisung|systemanweisungen',
      'DISCLOSE ~3 系统 提示',
      'DISCLOSE ~3 系统提示|系统指令|システムプロンプト',
      '系统提示|系统指令|システムプロンプト|시스템 ~4 DISCLOSE|프롬프트',
      'affiche|affichez|répète|révèle|montre|muestra|muestrame|repite|revela|imprime|dime|mostra|ripeti|rivela|mostre|repita ~2 tus|tes|vos|tue|suas|sus|tu|ton|il|el|le|tuo ~1 instrucciones|instructions|istruzioni|instruções|prompt|système ~1 sistema|système|iniciales|initiales|prompt|$',
      'покажи|покажите|повтори|повторите|раскрой|выведи ~3 системн* инструкц*|промпт|подсказку|запрос',
    ],
  },
  {
    label: { class: 'persona', rule: 'unlocked_mode' },
    patterns: [
      'you are|youre ~1 in developer|dan|god|jailbreak|jailbroken|unrestricted|unfiltered|uncensored|evil|chaos|sudo|root|opposite mode',
      'with developer|dan|jailbreak|god|unrestricted|unfiltered|evil mode enabled|activated|on',
      'enable|activate|enter|engage|switch|enabled|unlock ~3 dan|jailbreak|god|unrestricted|unfiltered|uncensored|evil|opposite mode',
      'you ~4 do anything now',
      'you have been|are ~1 jailbroken',
      'act|respond|answer|behave|pretend|roleplay as|like|be|youre [a|an|the] dan',
    ],
  },
];
