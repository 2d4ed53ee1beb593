/** Software nouns. In Romance languages, German and Chinese, "it ignores" is spelled like an order. */
const PROGRAMS = [
  'funktion|methode|klasse|parser|compiler|interpreter|analysierer|skript|programm|option|schalter|befehl|test|code|modul|linter|schleife|bibliothek|werkzeug',
  'fonction|méthode|classe|analyseur|parseur|compilateur|interpréteur|script|programme|commande|module|bibliothèque|boucle|outil',
  'función|método|clase|analizador|intérprete|compilador|programa|opción|comando|prueba|código|módulo|biblioteca|bucle|herramienta',
  'funzione|metodo|analizzatore|interprete|compilatore|programma|opzione|codice|modulo|libreria|ciclo|strumento',
  'função|analisador|interpretador|opção|teste|laço|ferramenta',
].join('|');
/** "Diese Methode …", "L'analyseur …", also with a name: "el método parse() …". */
const AFTER_PROGRAM = new RegExp(
  String.raw`(?:^|[^\p{L}-])(?:(?:dies|jen)e[rs]?|d(?:er|ie|as)|eine?|cette|cet?|la|le|une?|est[ae]|ese|esa|el|una?|quest[aoe]|il|lo|[oa]|uma?|(?:quest|dell|nell|un|l)['’])\s{0,2}(?:[\p{L}-]{2,20}\s)?(?:${PROGRAMS})(?:\s\x60?[\w.]{1,40}(?:\(\))?\x60?)?\s$`,
  'iu',
);
const CHINESE_PROGRAM =
  /(?:函数|方法|解析器|编译器|解释器|脚本|程序|选项|命令行?|代码|模块|循环)[^。！？，；：\n]{0,24}(?:会|将)$/u;
const ASIAN_PROGRAM =
  /(?:関数|メソッド|パーサー?|コンパイラー?|スクリプト|プログラム|オプション|モジュール|ループ|クラス)(?:は|が)[^。！？\n]{0,48}$/u;
/** "無視します" after a software noun, "अनदेखा करता है": present tense, not an order. */
const JAPANESE_PRESENT = /^(?:し(?:ます|ました|ません|ない)|する|した|され)/u;
const HINDI_PRESENT = /^\s(?:कर\s)?(?:दे|कर)त[ाीे]\s(?:है|हैं)(?![\p{L}\p{M}])/u;

const ATTACKERS = new RegExp(
  [
    String.raw`\b(?:attackers?|adversar(?:y|ies)|prompt[- ]inje(?:ctions?|cties?)|attaquants?|atacantes?|aggressor[ei]|attaccant[ei]|aanvallers?)\b`,
    String.raw`\b(?:angreifer|angriff)\p{L}{0,3}|(?:injections?|inyección|injeção|iniezione) (?:de|di) prompts?`,
    'злоумышленник|внедрени. промпт|攻击者|攻擊者|提示注入|攻撃者|プロンプトインジェクション|مهاجم|हमलावर|इंजेक्शन',
  ].join('|'),
  'iu',
);
const MODELS = new RegExp(
  [
    String.raw`(?<![\p{L}-])(?:assistants?|models?|llms?|agents?|chatbots?|bots?|ai|ki|ia|modell|assistent\p{L}{0,2}|modèles?|modelos?|asistentes?|assistente|modello|agente)(?![\p{L}-])`,
    'модел|ассистент|агент|模型|助手|智能体|モデル|アシスタント|エージェント|النموذج|المساعد|मॉडल|सहायक',
  ].join('|'),
  'iu',
);
const THEIR_OWN =
  /(?<!\p{L})(?:its|their|seine[nrms]?|ihre[nrms]?|ses|leurs?|sus?|suas?|seus?|sue|suoi|propri[eao]|zijn|hun|свои(?:х|м)?|свою)(?!\p{L})|自己的|自身|原有|自らの|उसके/iu;
const ADDRESS =
  /(?<!\p{L})(?:yours?|you|du|dich|deine?[nrms]?|tu|ton|tes|toi|tus|tuo|tua|tuoi|tue|teus?|tuas|você|jij|jouw|je|ты|тебе|тво\p{L}{1,3})(?!\p{L})|[你您]|あなた|तुम|आप/iu;
const SENTENCE_CHARS = 160;
const SENTENCE_END = /[.!?:;。！？：；\n।]/u;
const AFTER_CHARS = 24;

/**
 * Recognizes descriptions of programs and attacks: "this parser ignores …", "attackers ask the assistant to forget
 * its rules".
 */
export function isReport(text: string, start: number, end: number): boolean {
  const before = sentenceBefore(text, start);
  const phrase = text.slice(start, end);
  if (ADDRESS.test(phrase)) return false;
  const after = text.slice(end, end + AFTER_CHARS);
  if (AFTER_PROGRAM.test(before) || CHINESE_PROGRAM.test(before) || HINDI_PRESENT.test(after)) return true;
  if (ASIAN_PROGRAM.test(before) && JAPANESE_PRESENT.test(after)) return true;
  return THEIR_OWN.test(phrase) && ATTACKERS.test(before) && MODELS.test(before) && !ADDRESS.test(before);
}

function sentenceBefore(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - SENTENCE_CHARS), start);
  return before.split(SENTENCE_END).at(-1) ?? '';
}
