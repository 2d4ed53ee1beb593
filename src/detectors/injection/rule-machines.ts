import type { WordClasses } from './grammar.ts';
import type { PhraseRule } from './phrase-rules.ts';

/** German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese, Arabic and Hindi, in this order. */
export const MACHINE_WORDS = {
  /** "You are", "play". */
  PORTRAY: `
    bist spiel spiele mime verkörpere es êtes joue jouez incarne incarnez appelles eres actúa actúe interpreta interprete finge sei fingi fingiti recita
    és aja finja você bent speel ты сыграй изобрази 你 你叫 你是 扮演 演じ 演じて あなたは なりきって أنت مثل تقمص तुम आप बनो`,
  THINKER: `
    ki chatbot bot sprachmodell modell assistent intelligenz ia unia lia intelligence modèle assistant inteligencia modelo asistente intelligenza modello assistente
    inteligência ai taalmodel model ии нейросеть бот модел* ассистент 人工智能 模型 助手 机器人 モデル アシスタント ذكاء نموذج مساعد एआई मॉडल सहायक`,
  LIMITS_ELSEWHERE: `
    filter filtern grenzen grenze regeln regel moral zensur beschränkungen einschränkungen hemmungen schranken filtre filtres limite limites règle règles morale censure restriction restrictions
    filtro filtros límite límites norma normas regla reglas censura restricción restricciones filtri limiti regola regole restrizioni vincoli
    regra regras restrições filters regels remmen beperkingen censuur moraal фильтров фильтр* правил правил* ограничений ограничен* цензуры цензур* запрет* 限制 规则 约束 道德 过滤 規則 制限 フィルター 倫理
    قيود رقابة قاعدة قواعد حدود नियम* पाबंदी रोक प्रतिबंध* नैतिकता सीमा`,
} as const satisfies WordClasses;

/** Two parts of a portrait in one language: no limits, and no refusals. */
const PORTRAITS = [
  [
    ['ohne|keine|keinerlei ~2 LIMITS_ELSEWHERE', 'frei|befreit von ~2 LIMITS_ELSEWHERE'],
    [
      'nie|niemals|nichts ~4 verweigert|verweigerst|ablehnt|ablehnst|nein',
      'alles|jede|alle ~5 antwort|antwortet|antwortest|beantwortet|beantwortest',
    ],
  ],
  [
    [
      'sans|aucune|aucun ~2 LIMITS_ELSEWHERE',
      'affranchi|affranchie|libre|libéré|libérée ~2 LIMITS_ELSEWHERE',
    ],
    ['refuse|refuses jamais|rien', 'répond|réponds|répondez ~4 tout|toute|toutes|tous'],
  ],
  [
    [
      'sin ~2 LIMITS_ELSEWHERE',
      'no tiene|tienes ~2 LIMITS_ELSEWHERE',
      'liberado|liberada|libre ~3 LIMITS_ELSEWHERE',
    ],
    [
      'nunca|jamás|sin ~3 niega|niegas|negarse|negarte|rechaza|rechazas',
      'contesta|contestas|responde|respondes ~4 todo|toda|cualquier|todas',
    ],
  ],
  [
    ['senza ~2 LIMITS_ELSEWHERE', 'priva|privo|libero|libera|liberato|liberata ~3 LIMITS_ELSEWHERE'],
    ['non ~4 mai|rifiuta|rifiuti', 'risponde|rispondi ~4 tutto|qualsiasi|ogni|tutte'],
  ],
  [
    ['sem ~2 LIMITS_ELSEWHERE', 'livre|liberto|liberta ~3 LIMITS_ELSEWHERE'],
    ['nunca|jamais ~3 recusa|recusas|nega', 'responde|respondes|responda ~4 tudo|todas|qualquer'],
  ],
  [
    ['zonder ~2 LIMITS_ELSEWHERE', 'geen ~2 LIMITS_ELSEWHERE'],
    ['nooit ~4 weigert|nee', 'elke|alles|alle ~5 antwoord|antwoordt|beantwoordt'],
  ],
  [
    ['без ~2 LIMITS_ELSEWHERE', 'свободная|свободную|свободный ~3 LIMITS_ELSEWHERE'],
    ['никогда ~3 отказываешь|отказывает|отказываешься', 'отвечает|отвечаешь ~3 все|любой|любые'],
  ],
  [
    ['没有|不受|摆脱|无 ~4 LIMITS_ELSEWHERE'],
    ['从不拒绝|绝不拒绝|不拒绝|永不拒绝', '任何问题|所有问题|一切问题 ~4 回答|作答'],
  ],
  [['بلا|بدون|دون|متحرر ~2 LIMITS_ELSEWHERE'], ['لا|ولا ترفض|يرفض', 'يجيب|تجيب|ويجيب ~3 أي|كل|جميع']],
  [
    ['बिना ~3 LIMITS_ELSEWHERE', 'LIMITS_ELSEWHERE ~2 मुक्त|बिना'],
    ['मना नहीं', 'हर|किसी ~4 जवाब|उत्तर देता|देते|दो'],
  ],
] as const;

/** Orders to play a machine without limits and without refusals. Either alone is a role in a story. */
export const MACHINE_RULES: readonly PhraseRule[] = [
  {
    label: { class: 'persona', rule: 'unlocked_mode' },
    patterns: [
      ...PORTRAITS.flatMap(([limitless, unrefusing]) =>
        limitless.flatMap((one) =>
          unrefusing.flatMap((other) => [
            `PORTRAY ~8 THINKER ~5 ${one} ~14 ${other}`,
            `PORTRAY ~8 ${one} ~6 THINKER ~10 ${other}`,
          ]),
        ),
      ),
      'LIMITS_ELSEWHERE ~6 解放され|なく|なし|ない|縛られない|縛られず ~16 答える|応じる|断らない|拒まない ~8 THINKER ~14 PORTRAY',
    ],
  },
];
