import type { WordClasses } from './grammar.ts';
import type { PhraseLabel, PhraseRule } from './phrase-rules.ts';

export const KIND_WORDS = {
  WANT: `need needs needed require requires required must want wants like have has had demand demands wish cleared authorized authorised allowed entitled
    permitted supposed instructed tasked obliged ordered asked going`,
  SEE: `see view read inspect review verify audit check examine access obtain get look know receive analyze analyse validate confirm copy study`,
  PRETEXT: `audit audits auditor auditors auditing compliance security debugging debug diagnostics verification testing investigation maintenance
    emergency immediately urgently urgent inspection incident authorized authorised penetration pentest troubleshooting regulators certification`,
  /** Words that often precede "prompt" or "instructions", and rarely other nouns. */
  HIDDEN: `system hidden secret initial original developer internal underlying initialization`,
  ORDERS: `prompt prompts instruction instructions message directives guidelines rules configuration`,

  /** Verbs that turn a text into another form. */
  TRANSFORM: `translate translated encode encoded convert converted transform spell summarize summarise reverse rhyme encrypt encipher compress condense
    shorten abbreviate paraphrase rephrase rewrite transliterate scramble obfuscate versify hash express sing mime draw render write put turn make output
    print give compose`,
  FORM: `emoji emojis base64 base32 hex hexadecimal binary morse rot13 leetspeak leet cipher ciphertext caesar backwards reverse reversed latin poem haiku
    song rhyme rhymes rhyming limerick sonnet rap acrostic ascii unicode braille`,
  ARTWORK: `poem haiku song rhyme limerick sonnet rap acrostic story ballad acronym riddle`,

  AMORAL: `unfiltered uncensored unrestricted amoral unrestrained unbound unchained unhinged jailbroken limitless lawless ruthless immoral unmoderated
    unethical evil malevolent unscrupulous conscienceless`,
  MACHINE: `ai ais chatbot chatbots bot model assistant machine intelligence robot llm agent computer twin entity algorithm`,
  PLAYING: `as named called playing play plays portray portrays portraying imitate impersonate channel voice embody embodying simulate being`,
  ANSWERS: `answers answer replies reply says say tells tell explains explain describes describe gives give responds respond will now`,
  SCRUPLES: `morals ethics filters filter restrictions limits rules conscience scruples morality limitations guardrails censorship`,

  THINGS: `everything everthing evrything everyting everythin anything all whatever things stuff`,
  UP_TO: `before prior preceding preceded precedes above until till`,
  HERE: `message sentence prompt point instruction conversation request`,
  MIND: `mind memory context brain`,

  /** Equivalents in other languages. */
  YOURS: `dein deine deinen deiner deines ton ta tes votre vos tu tus tuo tua tuoi tue seu sua seus suas teu tua teus tuas твой твою твои твоего твоих свой свою свои
    своего своих 你的 您的 あなたの`,
  WANT_ELSEWHERE: `muss müssen brauche brauchen benötige benötigen möchte besoin dois devons faut voudrais necesito necesitamos quiero debo requiero
    bisogno devo dobbiamo voglio preciso precisamos quero нужно нужен нужна нужны надо должен должна должны хочу требуется`,
  TRANSFORM_ELSEWHERE: `übersetze übersetz übersetzen kodiere codiere kodier verschlüssele schreib schreibe buchstabiere formuliere reime fasse verwandle
    traduis traduisez encode encodez écris écrivez épelle résume transforme convertis traduce traduzca codifica codifique escribe deletrea resume
    convierte transforma traduci scrivi riassumi trasforma converti traduza traduz escreva soletre resuma converta
    переведи переведите закодируй закодируйте напиши напишите перескажи зашифруй преобразуй`,
  PROMPT_ELSEWHERE: `prompt prompts systemprompt systemprompts anweisungen instruktionen systemanweisungen consignes instructions instrucciones istruzioni
    instruções промпт* промпт инструкц*`,
  FIRST_ELSEWHERE: `ursprüngliche ursprünglichen geheime geheimen internen interne initial initiale initiales initiaux secretas internas secrètes
    iniciales inicial originales original iniziali iniziale originali iniciais originais системн* исходн* первоначальн* скрыт*`,
  AMORAL_ELSEWHERE: `amoralisch* unmoralisch* ungefiltert* unzensiert* skrupellos* uneingeschränkt* amoral amorale amorales immoral immorale inmoral inmorale
    immorali aморальн* аморальн* безнравственн* бесчеловечн* unfiltered uncensored uncensurato sincensura`,
  WITHOUT: `sans ohne senza sin sem без`,
  SCRUPLES_ELSEWHERE: `filtre filtres filter filtro filtros filtri фильтров фильтра morale moral censure censura zensur цензуры regeln règles reglas regole regras
    правил limites límites limiti grenzen ограничений ethik éthique ética etica этики морали`,
  AS_ELSEWHERE: `als que comme como come как wie`,
} as const satisfies WordClasses;

/** A request split into fragments that the text joins, or tells the model to join. */
export const SPLIT_PAYLOAD: PhraseLabel = { class: 'smuggling', rule: 'split_payload' };

/** Includes first-person subjects, because the mention guard ignores verbs after a subject. */
const ASKING = [
  'WANT',
  'i|we|im|ive|id [really|just|urgently|do|also|would|will|still|now|am|are|have|been|only] WANT',
];

/**
 * Further attacks: leaks under a pretext or in another form, amoral characters, dismissal of everything so far, and
 * orders to join fragments.
 */
export const KIND_RULES: readonly PhraseRule[] = [
  {
    label: { class: 'leak', rule: 'pretext' },
    patterns: [
      ...ASKING.flatMap((asking) => [
        `${asking} ~3 SEE ~3 your ~1 HIDDEN ~1 ORDERS`,
        `${asking} ~3 SEE ~3 your ~1 prompt for|to|in|as|now|immediately|$`,
        `${asking} ~2 your ~1 HIDDEN ~1 ORDERS`,
        `${asking} ~2 your ~1 complete|full|exact|entire|whole prompt`,
        `${asking} ~4 SEE ~3 the ~1 HIDDEN prompt ~6 PRETEXT`,
        `${asking} ~4 SEE ~3 the system|hidden|developer instructions|message|directives ~6 PRETEXT`,
        `${asking} ~4 system prompt ~5 PRETEXT|verbatim`,
        `${asking} ~4 SEE ~2 the system prompt at|right once|now|away`,
      ]),
      'PRETEXT ~9 WANT ~4 SEE ~3 the ~1 HIDDEN prompt',
      'PRETEXT ~6 WANT ~3 your ~1 prompt|instructions',
      'PRETEXT ~9 WANT ~4 SEE ~3 the system|hidden|developer instructions|message|directives',
      'PRETEXT ~9 WANT ~3 the ~2 system prompt',
      'PRETEXT ~6 provide|share|show|send|disclose|hand ~4 the|your ~2 HIDDEN prompt',
      'access to your ~1 HIDDEN ~1 ORDERS',
      'access to the ~1 system|hidden prompt ~6 PRETEXT',
      'access your ~1 HIDDEN ~1 prompt|prompts|instructions|message',
      'copy|contents|content|wording|text of your ~1 HIDDEN ~1 ORDERS',
      'wording|text of your instructions|prompt|directives',
      'ask|asks|asked|asking|request|requests|requested ~1 for ~2 your ~1 HIDDEN ~1 ORDERS',
      'get|obtain|extract ~2 HIDDEN prompt|instructions from|out ~1 you',
      'look|peek|glance at ~2 your ~1 HIDDEN ~1 ORDERS',
      'look|peek|glance at ~1 the system|hidden prompt|instructions',
      'cleared|authorized|authorised|allowed ~1 SEE ~2 the|your ~1 HIDDEN prompt|instructions',
      'hand over ~2 the|your ~1 HIDDEN prompt|instructions',
      'WANT_ELSEWHERE ~6 YOURS ~1 prompt|prompts|systemprompt|systemanweisungen|промпт|промпт*',
      'WANT_ELSEWHERE ~6 YOURS ~1 FIRST_ELSEWHERE ~1 PROMPT_ELSEWHERE',
      'WANT_ELSEWHERE ~6 YOURS ~1 PROMPT_ELSEWHERE ~1 FIRST_ELSEWHERE',
      'YOURS ~1 FIRST_ELSEWHERE PROMPT_ELSEWHERE ~4 WANT_ELSEWHERE|sehen|lesen',
      'YOURS systemprompt ~6 sehen|lesen|prüfen|einsehen',
      '需要|必须|必須|想要|要求|我要 ~8 系统提示|系统提示词|系統提示|系统指令|初始提示',
      'システムプロンプト|初期プロンプト ~6 必要|確認|開示|見る|見せ|教えて|見たい',
    ],
  },
  {
    label: { class: 'leak', rule: 'transformed_prompt' },
    patterns: [
      'TRANSFORM ~4 your ~2 HIDDEN ~1 prompt|prompts|instructions|directives',
      'TRANSFORM ~3 your ~1 system|hidden|developer|initial message|rules|guidelines',
      'TRANSFORM ~3 your ~1 prompt ~1 in|into|to|as|with|using|backwards|backward|and',
      'TRANSFORM ~3 your ~1 instructions in|into|to|as|with|using|backwards ~3 FORM',
      'TRANSFORM ~3 your ~1 rules|guidelines|directives in|into|to|as|with|using ~3 FORM',
      'take|use ~1 your ~1 HIDDEN ~1 ORDERS ~1 and ~1 TRANSFORM',
      'apply|use ~2 FORM ~1 to|on|for ~1 your ~2 ORDERS',
      'system|hidden|secret|initial|developer prompt|prompts ~1 in|into|as|to|with|using ~2 FORM',
      'your ~1 HIDDEN ~1 instructions|message|directives ~1 in|into|as|to|with|using ~2 FORM',
      'ARTWORK ~5 contain|contains|containing|quotes|recites|reciting|from|of|out|about|hides|spells ~4 your ~1 HIDDEN ~1 ORDERS',
      'ARTWORK ~5 contain|contains|containing|quotes|recites|reciting|from|of|out|about|hides|spells ~3 your prompt|instructions|directives',
      'ARTWORK ~5 contain|contains|containing|quotes|recites|reciting|from|of|out|hides|spells ~2 all|each|every ~1 your rules|guidelines',
      'ARTWORK ~6 recites|reciting|quotes|tells|reveals ~2 your|the system prompt',
      'replace|swap|substitute ~4 in|of your ~1 instructions|prompt|directives',
      'replace|swap|substitute ~4 in|of the ~1 system|hidden prompt ~4 print|show|output|repeat',
      'explain|teach|describe|tell ~2 your ~1 HIDDEN prompt|instructions',
      'TRANSFORM_ELSEWHERE ~3 YOURS ~2 PROMPT_ELSEWHERE',
      'YOURS ~2 prompt|systemprompt|промпт ~3 in|en|em|как|als|на emoji|emojis|base64|morse|gedicht|poème|poema|poesia|стих*',
      '你的|您的 ~2 系统提示|系统提示词|提示词|初始提示|初始指令|系统指令 ~3 翻译|编码|改写|写成|变成|总结|转换|转成|押韵',
      '翻译|编码|改写|总结|转换 ~3 你的|您的 ~2 系统提示|系统提示词|提示词|初始提示|系统指令|指令',
      'システムプロンプト|初期プロンプト|あなたの指示 ~10 翻訳|エンコード|要約|変換|書き換え|書いて',
    ],
  },
  {
    // Orders to play a character without morals, and descriptions of one.
    label: { class: 'persona', rule: 'amoral_character' },
    patterns: [
      'PLAYING ~3 AMORAL ~1 AMORAL ~1 MACHINE|version',
      'PLAYING ~3 AMORAL ~1 MACHINE ~2 NONE ~1 SCRUPLES',
      'PLAYING ~3 MACHINE ~3 NONE ~1 SCRUPLES or|and|nor ~1 SCRUPLES',
      'AMORAL ~1 AMORAL ~1 MACHINE ~2 ANSWERS',
      'AMORAL ~1 MACHINE|version ~2 NONE ~1 SCRUPLES ~2 ANSWERS',
      'MACHINE ~6 is|are ~1 AMORAL and AMORAL ~5 ANSWERS|must',
      'let|have ~4 be|play|act|become ~3 AMORAL ~1 AMORAL ~1 MACHINE',
      'as ~3 AMORAL ~1 AMORAL twin|version|self',
      'AMORAL ai|chatbot|bot|assistant|llm NONE ~1 SCRUPLES $',
      'AS_ELSEWHERE ~6 AMORAL_ELSEWHERE ~3 AMORAL_ELSEWHERE',
      'AS_ELSEWHERE ~6 AMORAL_ELSEWHERE ~3 WITHOUT ~1 SCRUPLES_ELSEWHERE',
      'AS_ELSEWHERE ~6 chatbot|bot|ki|ia|assistent|asistente|assistente|бот WITHOUT ~1 SCRUPLES_ELSEWHERE ~1 und|et|y|e|и|ni|oder ~1 SCRUPLES_ELSEWHERE|AMORAL_ELSEWHERE',
      '作为|扮演|充当 ~12 没有道德|无道德|不道德|不受限制|无限制|没有限制|未经审查|不受约束 ~12 机器人|聊天机器人|助手|模型|人工智能',
      '無修正|無制限|道徳のない|非道徳的|制限のない|倫理のない ~8 チャットボット|ボット|アシスタント|モデル ~8 として|答えて|なりきって',
      'チャットボット|ボット ~8 として ~8 無修正|無制限|道徳のない|制限のない',
    ],
  },
  {
    label: { class: 'override', rule: 'dismiss_all_before' },
    patterns: [
      'IGNORE ~4 THINGS ~7 UP_TO ~1 this HERE|$',
      'IGNORE ~4 THINGS ~7 UP_TO ~1 this and|just|then|instead|now',
      'IGNORE ~4 THINGS ~7 until|till|to here|now and|just|then|instead|$',
      'IGNORE ~2 THINGS above|before|prior|preceding and|then|instead|now|just|$',
      'OVERRULE|IGNORE|drop|stop THINGS ~1 you ~3 asked|told|doing|saying|given ~1 before|now|earlier|so',
      'IGNORE ~3 todo|tudo|tutto ~2 anterior|anteriores|previo|precedente|precede|antes',
      'IGNORE ~6 every ~3 word|thing|line|sentence ~5 UP_TO ~1 this|here',
      'IGNORE ~6 every ~3 word|thing|line|sentence ~4 said|told|written before|above|so|earlier',
      'IGNORE ~7 all|any WHEN text|words|things|stuff|messages|conversation|input',
      'IGNORE ~7 THINGS you ~3 GIVEN ~2 prior|before|earlier|previously|$',
      'IGNORE ~2 everthing|evrything|everyting|everythin ~3 GIVEN|above|before',
      'IGNORE ~5 conversation|chat|discussion|exchange ~2 until|till|before|up ~1 now|this|here|point',
      'IGNORE ~3 THINGS that ~1 preceded|precedes ~1 this|my|it',
      'IGNORE about all that ~1 here|now|instead|just|this',
      'THINGS UP_TO this ~1 HERE ~1 is|are|was|must|should|can ~3 IGNORED|OBSOLETE|ENDED',
      'THINGS UP_TO this is|are|was|must|should|can ~3 IGNORED|OBSOLETE|ENDED',
      'nothing UP_TO this HERE ~1 counts|count|matters|matter|applies|apply|exists|binds',
      'IGNORE_SOFT|IGNORE|throw ~2 from your MIND ~2 THINGS',
      'IGNORE_SOFT|IGNORE ~2 THINGS ~8 from your MIND',
      'IGNORE_PHRASE THINGS ~2 you ~3 GIVEN ~2 out|aside|away|behind',
      'IGNORE_PHRASE away|out THINGS ~2 said|told|written ~1 so|before|above|until|till|here',
      'stop everything ~2 just|only|simply print|say|output|write|reply|answer',
      'IGNORE|vergiss|vergessen ~3 alles ~4 vor|bis diesem|dieser|hierher|hierhin|hier|jetzt',
      'IGNORE ~3 все|всё ~4 до|перед этого|этим|этой|сих',
      'IGNORE ~6 在此之前|此前|之前|以上|上文|前文|到目前为止 ~4 一切|所有|全部|内容',
      'これより|これまで|今まで|以前|上記|ここまで ~8 すべて|全て|全部 ~4 忘れて|無視|忘れ|破棄',
    ],
  },
  {
    // Orders to join fragments that have no names. `findJoints` finds named ones.
    label: SPLIT_PAYLOAD,
    patterns: [
      'concatenate|combine|join|merge|assemble|glue|stitch|reassemble|recombine ~4 parts|pieces|strings|fragments|halves|variables|chunks|words|sentences ~4 and|then ~3 answer|obey|respond|reply|comply ~1 to|with|the|what|it ~2 result|resulting|combined|whole|full|outcome|it|they|complete',
      'concatenate|combine|join|merge|assemble|glue|stitch|reassemble|recombine ~9 and|then ~1 answer|obey|respond|reply|comply ~2 resulting|combined|reassembled|assembled|joined',
      'concatenate|combine|join|merge|assemble|glue|stitch|reassemble|recombine ~12 and|then ~1 do what|whatever ~3 result|it|they|whole|combination ~1 says|say|asks|ask',
      'put ~2 pieces|parts|fragments|halves|strings|words ~1 together|back ~2 and|then ~2 follow|obey|answer|do|execute|carry ~3 instruction|order|command|question|what|whatever ~2 they|it|form|forms|result|says|say',
    ],
  },
];
