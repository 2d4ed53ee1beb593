import type { WordClasses } from './grammar.ts';
import type { PhraseRule } from './phrase-rules.ts';

/** German, French, Spanish, Italian, Portuguese, Dutch, Russian, Arabic, Hindi, Chinese and Japanese, in this order. */
export const LANGUAGE_WORDS = {
  /** Imperatives of "ignore" and "break". */
  SHUN: `
    ignoriere ignorier vergiss vergesst missachte missachten umgehe umgeh brich breche übertritt vernachlässige überschreibe verwirf
    ignore ignorez oublie oubliez néglige négligez contourne contournez outrepasse outrepassez enfreins enfreignez transgresse désobéis abandonne abandonnez viole
    ignora ignore olvida olvide descuida descuide omite rompe sáltate salta incumple desobedece quebranta evade elude desatiende abandona abandone
    dimentica dimenticate trascura trascurate tralascia aggira aggirate viola violate infrangi scavalca supera abbandona abbandonate
    esqueça esquece esqueçam desconsidere desconsidera negligencie contorne contorna quebre quebra viole burle pule desobedeça
    negeer vergeet verwaarloos omzeil breek overtreed overschrijd
    игнорируй игнорируйте проигнорируй забудь забудьте нарушь нарушай нарушьте обойди обойдите отбрось отбросьте пренебреги пренебрегай отринь
    تجاهل تجاهلي تجاهلوا وتجاهل انس انسى أهمل اهمل تخط تخطى تجاوز اكسر خالف تخل اخرق
    忽略 忽视 无视 忘记 忘掉 抛开 抛弃 丢弃 放弃 绕过 违反 违背 打破 突破 摆脱 無視 忘記 繞過 違反`,
  /** Imperatives of "switch off" and "delete", which also apply to tables and emails. */
  SWITCH_OFF: `
    deaktiviere lösche entferne streiche désactive désactivez supprime efface désactiver éteins desactiva desactive elimina borra apaga suprime
    disattiva disattivate elimina cancella spegni rimuovi desative desativa desligue remova apague elimine verwijder wis deactiveer
    отключи отключите удали отмени сними выключи عطل احذف ألغ الغ أزل أوقف 关闭 删除 解除 移除 取消 停用 禁用`,
  OWNED: `
    dein deine deinen deiner deinem deines eure euren ton ta tes votre vos tu tus su sus tuo tua tuoi tue suoi sue
    teu tua teus tuas seu sua seus suas je jouw uw jullie твои твоих твоим твоими твою свои своих своим своими свою своей своими ваши ваших вашими
    अपने अपनी अपना तुम्हारे तुम्हारी तुम्हारा आपके आपकी आपका तेरे तेरी 你的 您的 あなたの 君の お前の`,
  /** Words for rules, of a model or of people. */
  TENETS: `
    grundsätze grundsätzen grundprinzipien prinzipien leitlinien richtlinien vorgaben regeln anweisungen anordnungen weisungen instruktionen sicherheitsregeln
    beschränkungen einschränkungen programmierung sicherheitsfilter
    principes directives consignes règles instructions restrictions programmation entraînement valeurs garde limitations lignes
    principios directrices directivas reglas instrucciones restricciones programación entrenamiento limitaciones normas pautas valores
    principi regole istruzioni direttive linee restrizioni programmazione addestramento vincoli limitazioni
    princípios diretrizes regras instruções restrições programação treinamento treino limitações orientações
    principes basisprincipes regels instructies richtlijnen beperkingen programmering training opdrachten grondbeginselen
    принцип* правил* инструкц* ограничен* указани* установк* директив* предписани* обучени*
    निर्देश* नियम* सिद्धांत* सिद्धान्त* प्रतिबंध* दिशानिर्देश* सीमाओं प्रशिक्षण
    原则 基本原则 准则 规则 训练 限制 约束 指令 设定 价值观 原則 準則 規則 限制 約束
    基本原則 ルール 規則 訓練 制約 制限 指示 ガイドライン プログラミング`,
  FILTERS: `filter filtern filters filtre filtres filtro filtros filtri фильтр* 过滤器 安全过滤器 过滤 过滤机制 フィルター फ़िल्टर फिल्टर`,
  OWN_TENETS: `تعليماتك مبادئك قواعدك قيودك توجيهاتك برمجتك تدريبك إرشاداتك ارشاداتك مرشحاتك أوامرك قيمك`,
  ARABIC_TENETS: `التعليمات القواعد القيود المبادئ التوجيهات الإرشادات تعليمات قواعد قيود مبادئ توجيهات إرشادات مرشحات`,
  AUTHORS: `entwickler entwicklers entwicklern schöpfer développeurs développeur créateurs créateur desarrolladores desarrollador creadores creador sviluppatori
    sviluppatore creatori creatore desenvolvedores desenvolvedor criadores criador ontwikkelaars ontwikkelaar разработчик* создател* المطورين المطور مطوريك مطورك
    डेवलपर* निर्माता* 开发者 开发人员 创造者 開発者の 開発者`,
  AUTHOR_RULES: `规定 指示 规则 指令 限制 規則 指示 ルール 制約`,
  /** Verbs that follow the object. */
  SHUN_LAST: `तोड़ो हटाओ छोड़ो भूलो भुलाओ 無視 忘れて 破って 捨てて 無効 解除 飛ばして 脇に置いて 破棄`,
  /** Two-word Hindi verbs. */
  SHUN_HINDI: `भूल तोड़ छोड़ हटा भुला अनदेखा नजरअंदाज नज़रअंदाज़`,
  ORDER_HINDI: `जाओ जाइए दो दीजिए दे करो करें कर कीजिए`,

  OBEY: `gehorche gehorch höre hör obéis obéissez nobéis nécoute écoute obedece obedéceme escúchame escucha obbedisci ascolta obedeça obedece escute gehoorzaam luister
    подчиняйся слушайся слушай повинуйся`,
  SOLELY: `nur allein ausschließlich uniquement seulement exclusivement quà que solo sólo únicamente solamente soltanto unicamente só somente apenas alleen enkel
    uitsluitend только исключительно лишь`,
  ME: `mir mich moi mí me mim mij мне меня`,

  ASK_WHAT: `was wie welche quelles quels quelle cuáles qué cual cosa quali quale quais qual wat welke какие какова что каковы`,
  TELL: `nenne nenn zeige zeig verrate wiederhole gib montre montrez affiche affichez donne donnez révèle révélez répète répétez récite muestra muestre muéstrame dime dame
    revela repite imprime mostra mostrami dimmi rivela ripeti stampa scrivi mostre diga repita imprima toon geef herhaal onthul vertel
    покажи покажите назови выведи раскрой раскройте повтори сообщи перечисли`,
  /** Orders to write out a text. */
  COPY_OUT: `schreib schreibe kopiere füge zitiere recopie recopiez colle collez copie copiez écris écrivez transcris escribe pega copia transcribe escriba pegue
    trascrivi incolla scrivi escreva escreve cole cola schrijf plak kopieer напиши напишите вставь скопируй процитируй`,
  SYSTEM_BRIEFING: `systemprompt systeemprompt systemanweisung systemanweisungen systemnachricht systeemopdracht systeembericht`,
  BRIEFINGS: `anweisungen instruktionen vorgaben systemprompt prompt instructions consignes instrucciones indicaciones istruzioni direttive instruções instructies
    инструкц* промпт* указани*`,
  AT_FIRST: `ursprünglichen ursprüngliche anfänglichen geheimen internen versteckten initiales initiale initial secrètes cachées système iniciales inicial ocultas secretas
    originales sistema iniziali iniziale originali segrete nascoste iniciais originais ocultas oorspronkelijke initiële verborgen geheime
    начальные начальных исходные исходных первоначальные скрытые системные секретные системный`,

  IS_NOW: `bist es êtes estás eres sei está és é bent ты вы أنت अब तुम आप`,
  MODES: `modo mode modus modalità режиме режим وضع`,
  UNLOCKED: `développeur desarrollador sviluppatore desenvolvedor ontwikkelaar entwickler разработчика المطور dan jailbreak dieu dios dio deus бога`,
  UNLOCKED_MODE: `entwicklermodus ontwikkelaarsmodus gottmodus jailbreakmodus`,

  HAND_OUT: `sende sendet schicke schick leite übermittle lade envoie envoyez transmets transférez transmettez envía envíe manda mande reenvía transmite sube
    invia inviate manda inoltra trasmetti carica envie envia encaminhe mande transmita stuur verstuur verzend отправь отправьте пришли перешли передай загрузи أرسل ارسل`,
  LOOT: `passwörter passwort zugangsdaten schlüssel geheimnisse umgebungsvariablen gesprächsverlauf passe identifiants secrets clés contraseñas credenciales claves secretos
    password credenziali chiavi segreti senhas senha credenciais chaves segredos wachtwoorden inloggegevens sleutels geheimen environnement entorno ambiente omgevingsvariabelen
    пароли паролей ключи токены секреты окружения учётные учетные tokens token المرور مفاتيح`,
  WEB: `http https webhook`,
} as const satisfies WordClasses;

/** "With which you were set up". */
const SET_UP = [
  'du ~2 eingerichtet|konfiguriert|programmiert|eingestellt|instruiert wurdest|bist',
  'tu ~2 été ~1 configuré|programmé|réglé',
  'te ~2 configuraron|programaron|instruyeron|configurado|programado',
  'ti|sei ~3 configurato|programmato|istruito|impostato',
  'te|você|foste ~2 configuraram|programaram|configurado|programado',
  'je|jij ~3 ingesteld|geconfigureerd|geprogrammeerd',
  'тебя ~1 настроили|запрограммировали|проинструктировали|настраивали',
] as const;

export const LANGUAGE_RULES: readonly PhraseRule[] = [
  {
    label: { class: 'override', rule: 'dismiss_instructions' },
    patterns: [
      'SHUN ~2 OWNED ~2 TENETS|FILTERS',
      'SWITCH_OFF ~2 OWNED ~2 TENETS|FILTERS',
      'SHUN|SWITCH_OFF ~2 OWN_TENETS',
      'SHUN ~1 ARABIC_TENETS ~1 السابقة|الأصلية|أعلاه|الأولى|القديمة|الأمان|السلامة',
      'SHUN|SWITCH_OFF ~1 ARABIC_TENETS ~3 بك|لديك',
      'OWNED ~4 TENETS|FILTERS ~3 SHUN_LAST',
      'OWNED ~4 TENETS|FILTERS ~3 SHUN_HINDI ORDER_HINDI',
      'AUTHORS ~2 TENETS ~3 SHUN_HINDI ORDER_HINDI',
      'OWNED ~2 TENETS ~3 मत मानो|सुनो',
      'ऊपर|पिछले|पहले ~3 TENETS ~3 मत मानो|सुनो',
      'SHUN ~3 TENETS ~1 OWNED AUTHORS',
      'SHUN ~2 TENETS de|des|dos|delle|dei|der|van ~1 OWNED ~1 AUTHORS',
      'SHUN ~2 AUTHORS ~1 AUTHOR_RULES',
      'AUTHORS ~2 TENETS ~3 SHUN_LAST',
      'setze|setz|schalte|schalt|lege|leg|wirf ~1 OWNED ~2 TENETS|FILTERS ~2 ab|aus|außer|beiseite|weg',
      'schakel|zet|leg|schuif ~2 OWNED ~2 TENETS|FILTERS ~1 uit|opzij|terzijde|af',
      'mets|mettez|laisse|laissez|deja|deje|metti|mettete|lascia|deixe|põe ~3 OWNED ~2 TENETS|FILTERS ~2 côté|lado|parte',
      'mets|mettez|laisse|laissez|deja|deje|metti|mettete|lascia|deixe ~1 de|da côté|lado|parte ~2 OWNED ~2 TENETS|FILTERS',
      'ne|no|non|não|nao|не respecte|respectez|suis|suivez|sigas|obedezcas|respetes|seguire|rispettare|siga|obedeça|respeite|соблюдай|следуй|выполняй ~1 plus|pas|OWNED ~2 TENETS|OWNED',
      'cesse|cessez|arrête|arrêtez|deja|deje|smetti|pare|stop|перестань ~2 suivre|respecter|obéir|seguir|obedecer|seguire|rispettare|volgen|соблюдать|следовать|выполнять ~2 OWNED ~2 TENETS',
    ],
  },
  {
    label: { class: 'override', rule: 'dismiss_everything' },
    patterns: [
      'ignoriere|missachte|vergiss alles ~1 was dir ~3 gesagt|beigebracht|befohlen|aufgetragen',
      'oublie|oubliez|ignore|ignorez ~1 tout ~4 dit|appris|ordonné|enseigné',
      'olvida|olvide|ignora|ignore ~1 todo ~2 te|le ~2 dicho|dijeron|enseñaron|ordenado|ordenaron',
      'dimentica|ignora tutto ~4 detto|insegnato|ordinato',
      'esqueça|esquece|ignore ~1 tudo ~4 disseram|dito|ensinaram|ordenaram',
      'vergeet|negeer alles ~2 je|jou ~2 verteld|gezegd|geleerd|opgedragen',
      'забудь|забудьте|игнорируй ~1 все|всё ~2 тебе|вам ~2 говорили|сказали|велели|приказали',
    ],
  },
  {
    label: { class: 'override', rule: 'sole_master' },
    patterns: [
      'OBEY ~2 SOLELY ~1 ME',
      'obedéceme|escúchame solo|sólo|únicamente|solamente a mí',
      'obey|serve only me',
      'obey me only|alone',
      '只服从我|只听我的|只听从我|只按我的|只遵循我的|只遵守我的',
      'أطعني|اطعني وحدي|فقط',
      'केवल|सिर्फ|सिर्फ़ मेरी|मेरे ~1 आज्ञा|आदेश|हुक्म ~1 मानो|मानिए',
      '私の指示だけ|私の命令だけ|私の言うことだけ ~2 従って|聞いて|従え',
    ],
  },
  {
    label: { class: 'leak', rule: 'system_prompt' },
    patterns: [
      'TELL|COPY_OUT ~6 OWNED ~1 SYSTEM_BRIEFING',
      'TELL|COPY_OUT ~6 OWNED ~1 prompt|промпт de|di|do|del ~1 sistema|système',
      ...SET_UP.map((setUp) => `TELL|COPY_OUT|ASK_WHAT ~8 BRIEFINGS|промпт ~5 ${setUp}`),
      'TELL ~3 OWNED ~1 AT_FIRST BRIEFINGS',
      'TELL ~3 OWNED ~1 BRIEFINGS ~1 AT_FIRST',
      'ASK_WHAT ~4 OWNED ~1 AT_FIRST BRIEFINGS',
      'ASK_WHAT ~4 OWNED ~1 BRIEFINGS ~1 AT_FIRST',
      'ASK_WHAT ~1 у тебя|вас ~1 AT_FIRST BRIEFINGS',
      'ما ~1 تعليماتك ~1 الأولية|الأصلية|السرية|الداخلية',
      'اكشف|أظهر|اعرض|اطبع|كرر|أخبرني ~3 تعليماتك|موجهك|برمجتك',
      'तुम्हारे|आपके|अपने|तुम्हारी ~1 शुरुआती|प्रारंभिक|मूल|गुप्त|सिस्टम ~1 निर्देश*|प्रॉम्प्ट',
      '你的|您的 初始|最初的|原始|隐藏的|内部 ~1 指令|提示词|提示|指示|设定',
      '你的|您的 初始指令|初始提示|系统提示|系统提示词|系统指令 ~2 是什么|什么',
      'あなたの 最初の|初期|元の|隠された|内部 ~1 指示|プロンプト|命令',
    ],
  },
  {
    label: { class: 'persona', rule: 'unlocked_mode' },
    patterns: [
      'IS_NOW ~4 MODES UNLOCKED',
      'bist|bent ~3 UNLOCKED_MODE',
      'अब ~2 डेवलपर मोड ~2 हो|हैं',
      '你 ~3 处于|进入|是 ~1 开发者模式|越狱模式|无限制模式',
      '你 现在 ~3 开发者模式|越狱模式|无限制模式',
      '现在 你 ~3 开发者模式|越狱模式|无限制模式',
      'あなたは|君は|お前は ~4 開発者モード|脱獄モード|無制限モード',
      'IS_NOW|AS_ELSEWHERE ~3 chatbot|bot|ki|ia|assistent|asistente|assistente|assistant|бот|ассистент|ии WITHOUT|zonder ~1 SCRUPLES_ELSEWHERE|TENETS',
    ],
  },
  {
    label: { class: 'leak', rule: 'data_theft' },
    patterns: [
      'HAND_OUT ~5 LOOT ~5 WEB',
      '发送|上传|转发|传送 ~4 密码|密钥|凭证|凭据|令牌 ~6 WEB',
      '密码|密钥|凭证|凭据|令牌 ~4 发送到|上传到|转发到|发到|传到 ~1 WEB',
      'パスワード|認証情報|秘密鍵|トークン ~3 WEB ~10 送信して|送って|アップロードして|転送して',
      'पासवर्ड|कुंजियाँ|टोकन ~3 WEB ~8 भेजो|भेजें|भेज',
    ],
  },
];
