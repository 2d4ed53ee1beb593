import type { WordClasses } from './grammar.ts';

/** Words for earlier texts, without `above` and `before`. */
const RECENT = `
    previous previously prevous previus prior earlier preceding foregoing former existing original initial past aforementioned acima arriba sopra
    vorherigen vorherige vorigen bisherigen bisherige obigen obige vorangegangenen vorangehenden früheren zuvor
    précédentes précédents précédente précédent antérieures antérieurs précède précèdent avant dessus initiales initiaux anteriores anterior previas previos previa previo iniciales ursprünglichen iniziali iniciais oorspronkelijke изначальн*
    precedenti precedente anteriori vorige eerdere voorgaande bovenstaande prévias prévios
    предыдущ* прежн* предшеств* вышеуказанн* предыдущие попередн* poprzedni* wcześniejsz* powyższ* tidigare forrige předchozí
    önceki anterioare sebelumnya yukarıdaki üstteki föregående ovan trước السابقة السابق προηγούμεν* पिछले पिछली पिछला पूर्व पहले ऊपर
    之前 以前 先前 上面 前面 上述 以上 此前 前の これまで 今まで 与えられた 上記 以前の 이전 이전의 앞의 위의 기존`;

const ALL_ELSEWHERE = `alle alles sämtliche jede toutes tous toute tout todas todos toda todo tutte tutti tudo
    все всё всех всі wszystkie wszelkie alla tüm bütün semua tất सभी جميع كل 所有 一切 全部 すべて 全て 모든 lahat`;

/**
 * Words used in injections, by their role in the sentence. The lexer folds accents; `stem*` matches any ending. Classes
 * mix languages, so a pattern also works in other languages with the same word order.
 */
export const WORDS = {
  IGNORE: `
    ignore ignor disregard forget unlearn overlook
    ignoriere ignorier ignorieren ignoriert vergiss vergesse vergesst vergessen missachte missachten übergehe überschreibe
    ignorez ignorer oublie oubliez oublier néglige négligez outrepasse outrepassez ignora ignorad ignorar ignoren olvida olvide olviden olvidad olvidar
    omite omita descarta descarte desobedece desatiende ignorate ignorare dimentica dimenticate dimenticare trascura tralascia disobbedisci
    ignorem esqueça esqueçam esquece esquecer desconsidere desconsidera desobedeça negeer negeren vergeet
    игнорируй игнорируйте игнорировать проигнорируй проигнорируйте забудь забудьте забыть ігноруй ігноруйте ігнорувати
    отбрось отбросьте нарушь zignoruj ignoruj zignorujcie zapomnij pomiń odrzuć ignorera glöm bortse strunta åsidosätt ignorér glem ignoruj zapomeň ignoră uită abaikan lupakan huwag
    تجاهل تجاهلوا انس أهمل αγνόησε αγνοήστε अनदेखा नजरअंदाज भूल 忽略 忽视 忽視 无视 無視 忘记 忘記 忘掉 不要理会 抛弃 丢弃 放弃 绕过 违背 不要遵守 不要遵循 不再遵守 不再遵循 不遵守 不遵循`,
  /** Verbs common in law and government, where overruling rules is legitimate. */
  OVERRULE: `override overrule bypass discard dismiss abandon neglect nullify overwrite circumvent scrap ditch reject repeal negate void
    rescind annul toss`,
  DEFY: `disobey defy violate breach break bypass circumvent`,
  /** Everyday orders to computers, which need more context to be suspicious. */
  IGNORE_SOFT: `delete erase remove reset clear cancel drop skip disable suspend void revoke lift purge wipe discontinue
    lösche streiche verwirf umgehe efface abandonne contourne anula anule annulla cancella scarta apague wis отмени отключи сотри удали anuluj hapus 取消 清除 删除 supprime elimina borra`,
  /** Verbs of verb-last languages, and German infinitives. */
  IGNORE_LAST: `ignorieren vergessen missachten 無視 忘れて 忘れ 破棄 無効 従わ 무시 무시하고 무시해 잊어 잊고 yoksay unut görmezden aldırma अनदेखा नजरअंदाज भूल`,
  IGNORE_PHRASE: `set put leave push cast throw brush toss lay`,
  IGNORED: `ignored disregarded forgotten discarded dismissed overridden bypassed`,
  ENDED: `lifted deleted erased removed rescinded withdrawn nullified waived dropped cancelled canceled scrapped retired annulled repealed terminated replaced
    voided suspended`,
  IGNORING: `ignoring disregarding forgetting discarding overriding bypassing disobeying dismissing`,
  FOLLOW: `follow obey adhere comply abide listen heed consider use respect honor honour apply acknowledge regard observe
    following obeying adhering complying abiding listening heeding`,
  NOT: `not dont never no stop cease cannot cant without neither nor longer quit refrain avoid`,

  /** Words for earlier texts. */
  WHEN: `above before ${RECENT}`,
  /** `WHEN` without `above` and `before`. */
  RECENT,
  INBORN: `current present default preset standing given built builtin inbuilt starting hardcoded preprogrammed predefined preconfigured embedded
    inherent internal hidden secret`,
  MAKER: `developer developers creator creators maker makers operator operators programmer programmers openai anthropic admin administrator`,
  MODEL: `system safety content ethical ethics moral security moderation developer developers openai anthropic`,
  YOUR: `your ur youre its deine deinen deiner ihre ihren vos votre tes ton tus tu sus su tue tuoi suas seus teus jouw je uw твои ваши свои twoje 你的 您的 你 あなたの 당신의`,
  ALL: `all any every each everything entire whole ${ALL_ELSEWHERE}`,
  /** `ALL` without English words. */
  ALL_ELSEWHERE,
  RULES: `
    instruction instructions instuctions instructons directive directives guideline guidelines prompt prompts guardrail guardrails programming
    directions orders commands rules policies constraints restrictions limitations safeguards protocols training safety
    anweisung anweisungen instruktionen vorgaben regeln befehle richtlinien eingabeaufforderung consignes consigne règles
    instrucciones instrucción reglas indicaciones órdenes directrices istruzioni istruzione regole indicazioni ordini
    instruções instrução regras ordens diretrizes comandos instructies regels aanwijzingen opdrachten beperkingen richtlijnen restricciones normas restrizioni restrições direttive einschränkungen beschränkungen
    инструкц* указани* правила правил команды інструкц* вказівки instrukcj* polece* zasady ograniczen* wytyczn* zakaz* instruktioner reglerna riktlinjer ограничен* запрет* промпт* regler pokyny instrucțiunile
    talimat* kural* komut* kısıtlama* yönerge* instruksi perintah aturan pedoman petunjuk hướng التعليمات تعليمات الأوامر القواعد التوجيهات οδηγίες निर्देश* आदेश* नियम*
    指令 指示 规则 規則 提示 命令 说明 設定 设定 要求 ルール プロンプト 指示を 제한 제한을 限制 限制を 准则 準則 约束 約束 制限 禁令 提示词 지시 지시를 지시사항 지침 명령 규칙 프롬프트`,
  SYSTEM_PROMPT: `systemprompt systemanweisung systemanweisungen systeminstruktionen 系统提示 系统提示词 系统指令 システムプロンプト`,
  /** `RULES` without words common in networks, linters and offices. */
  RULES_HARD: `instruction instructions directive directives guideline guidelines prompt prompts guardrail guardrails programming
    anweisungen instruktionen richtlinien vorgaben consignes instrucciones directrices istruzioni direttive diretrizes instruções instructies инструкц* 指令 指示 プロンプト 지시`,
  /** `RULES_HARD` without words of programs: mostly plurals, because a program may have an instruction or a prompt. */
  BARRED: `instructions directives guideline guidelines prompts guardrail guardrails programming
    anweisungen instruktionen richtlinien vorgaben consignes instrucciones directrices istruzioni direttive diretrizes instruções instructies инструкц* 指令 指示 プロンプト 지시`,
  /** A model's rules if preceded by `your`. */
  BOUNDS: `instruction instructions directive directives guideline guidelines prompt prompts prompting guardrail guardrails programming rules policies
    constraints restrictions limitations safeguards protocols training mandates parameters requirements briefing safety orders commands directions`,
  /** Rules that only a model is told to drop, whatever the verb. */
  BARS: `instructions directives guidelines prompt prompts guardrails programming rules constraints restrictions limitations safeguards protocols mandates`,
  CONTEXT: `text context content contents conversation message messages information task tasks data discussion chat input inputs
    output outputs settings configuration responses response statements request requests question questions everything stuff things words lines sentences`,
  /** `CONTEXT` without texts that users legitimately ask to ignore, such as `my previous message`. */
  BACKGROUND: `text texts context content contents conversation information input inputs discussion words sentences statements tasks`,
  GIVEN: `told taught given learned learnt learn received got said instructed trained programmed provided know knew
    started begun bind binds bound operate supplied fed handed assigned issued`,
  OBSOLETE: `obsolete void invalid outdated cancelled canceled superseded revoked null irrelevant optional informational nonbinding deprecated
    inactive overridden suspended lifted overruled expired moot advisory`,

  DISCLOSE: `
    repeat print reveal show output display share disclose expose dump leak recite echo list translate summarize summarise encode copy paste
    return spell quote state spit regurgitate reproduce render convert rewrite restate divulge unveil reprint retell provide tell give send
    wiederhole zeige zeig nenne verrate ausgeben affiche affichez répète répétez révèle révélez montre muestra muestrame repite revela imprime
    dime mostra ripeti rivela mostre repita revele toon herhaal покажи покажите повтори повторите раскрой выведи
    显示 输出 重复 告诉 透露 打印 表示 出力 繰り返し 見せて 教えて 보여 출력 알려`,
  /** Verbs of ordinary requests. They disclose something only if their object is a prompt. */
  TURN_OVER: `describe explain present report publish post paraphrase rephrase transcribe surface uncover narrate type hand read see view know write
    put turn make include append attach email mail resend check begin start reply answer respond`,
  /** `DISCLOSE` for text above, without legitimate requests such as `translate the text above`. */
  REPEAT: `repeat print reveal output recite echo dump regurgitate spit copy leak wiederhole répète repite ripeti повтори 重复 繰り返し`,
  SYSTEM_ONLY: `system hidden secret internal initialization preprompt developer confidential initial original underlying`,
  /** Words that often precede "prompt" or "instructions", and rarely other nouns. */
  INNER: `system hidden secret internal initialization developer confidential initial original underlying root base meta pre starting core`,
  BRIEFING: `prompt prompts instructions instruction message directives guidelines rules`,
  PROMPT: `prompt prompts instruction instructions message directive directives guidelines configuration config setup context rules programming initialization`,

  NEVER: `never not no dont doesnt didnt cannot cant wont wouldnt isnt arent aint shouldnt mustnt neednt without none neither nor`,
  NONE: `no without zero any lacks lack lacking devoid none`,
  REFUSE: `refuse refuses refused refusing refusal refusals decline declines declined declining deny denies denied denying reject rejects rejected
    rejecting censor censors censored censoring disobey disobeys`,
  /** Verbs for lecturing instead of answering. */
  LECTURE: `apologize apologizes apologise apologises moralize moralizes moralizing moralise moralises lecture lectures lecturing preach preaches`,
  ETHIC: `moral ethical ethics morality morals legality conscience scruples scruple`,
  /** Restraints of a persona, without legal words. */
  FETTERS: `restrictions limitations filters censorship censoring filtering guidelines restraints inhibitions boundaries confines shackles
    guardrails safeguards moderation`,

  CREED: `ethical ethics ethic moral morals morality legal legality laws law guidelines guideline restrictions restriction restrict limitations limitation limits
    rules rule filters filter filtering filtered censorship censoring policy policies regulations boundaries boundary constraints safety norms principles
    standards ethicality consequences confines safeguards inhibitions guardrails protocols taboos qualms remorse shackles warnings disclaimers
    moderation conscience scruples`,
  /** `CREED` without software words, because warnings, rules and filters are often turned off. */
  BONDS: `ethical ethics ethic moral morals morality guidelines restrictions limitations censorship censoring boundaries norms principles
    inhibitions guardrails safeguards taboos qualms remorse shackles conscience scruples moderation safety`,
  HARM: `illegal unethical immoral harmful inhumane offensive dangerous derogatory inappropriate explicit violent racist sexist hateful profane vulgar lewd nsfw controversial evil toxic politically depraved disgusting unlawful criminal illicit
    illégal* ilegal* illegale illegalen illegali`,
  FREE: `unfiltered uncensored unrestricted amoral unrestrained unbound unchained unhinged unleashed jailbroken unlimited limitless lawless ruthless immoral unmoderated`,
} as const satisfies WordClasses;
