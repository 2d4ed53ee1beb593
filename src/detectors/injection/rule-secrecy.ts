import type { WordClasses } from './grammar.ts';
import type { PhraseRule } from './phrase-rules.ts';

/** German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese, Arabic and Hindi, in this order. */
export const SECRECY_WORDS = {
  /** Imperatives, and infinitives after "must". */
  OPERATE: `
    rufe ruf aufrufen aufzurufen führe ausführen auszuführen sende schicke schick leite weiterleiten lies lösche überweise öffne verwende nutze
    appelle appelez appeler utilise utilisez utiliser exécute exécutez exécuter envoie envoyez envoyer transfère transférez transférer lis lisez supprime supprimer
    llama llame llamar usa usar use utiliza utilice ejecuta ejecute ejecutar envía envíe enviar reenvía reenvíe lee borra borre borrar
    chiama chiamate chiamare usare esegui eseguite eseguire invia inviate inviare inoltra inoltrare leggi cancella cancellare
    chama chame chamar utilize executa execute executar envia envie encaminha encaminhe leia apaga apague apagar
    roep aanroepen gebruik gebruiken voer uitvoeren stuur verstuur sturen lees verwijder verwijderen
    вызови вызовите вызвать используй используйте выполни выполните выполнить отправь отправьте отправить перешли перешлите прочитай прочитайте удали удалите удалить запусти запустите
    调用 执行 运行 发送 上传 转发 删除 读取 使用 呼び出し 呼び出して 実行 送信 送って 使って 使用 削除 アップロード 投稿 転送
    استدع استدعاء استخدم استخدام نفذ شغل أرسل ارسل احذف اقرأ انشر चलाओ चलाएँ चलाकर भेजो भेजें उपयोग प्रयोग मिटाओ हटाओ पढ़ो`,
  INSTRUMENT: `
    werkzeug mailwerkzeug dateiwerkzeug shellwerkzeug tool tools mailtool shelltool outil outils loutil herramienta herramientas strumento strumenti ferramenta ferramentas
    инструмент* 工具 ツール أداة بأداة टूल shell bash terminal terminale терминал* 终端 ターミナル الطرفية टर्मिनल`,
  /** Imperatives for deleting, sending, copying and reading, in the first seven languages. */
  DAMAGE: `
    lösche lösch leere sende schicke schick leite lade überweise verschlüssele kopiere lies
    supprime supprimez efface effacez vide videz envoie envoyez transfère transférez copie copiez lis lisez
    borra borre elimina elimine envía envíe reenvía reenvíe transfiere transfiera copia copie lee
    cancella cancellate elimina invia inviate inoltra trasferisci copia leggi
    apaga apague exclui exclua envia envie encaminha encaminhe transfere transfira leia
    verwijder wis stuur verstuur kopieer lees
    удали удалите сотри сотрите отправь отправьте перешли перешлите скопируй скопируйте прочитай прочитайте переведи`,
  TO_DAMAGE: `
    löschen leeren senden schicken weiterleiten hochladen überweisen verschlüsseln kopieren supprimer effacer vider envoyer transférer copier
    borrar eliminar enviar reenviar transferir copiar cancellare eliminare inviare inoltrare trasferire copiare apagar excluir encaminhar
    verwijderen wissen sturen versturen kopiëren удалить стереть отправить переслать скопировать`,
  USER: `benutzer benutzers nutzer nutzers anwender utilisateur lutilisateur usuario utente lutente allutente usuário utilizador gebruiker пользовател* 用户 使用者 ユーザー المستخدم للمستخدم उपयोगकर्ता यूज़र`,
  ADDRESS: `
    hinweis nachricht mitteilung achtung message avis note attention consigne aviso nota mensaje atención messaggio avviso attenzione mensagem atenção
    bericht opmerking mededeling aandacht сообщение внимание примечание 提示 注意 通知 致 お知らせ رسالة تنبيه ملاحظة सूचना संदेश`,
  ADDRESSEE: `
    ki kiassistent kiassistenten assistent assistenten sprachmodell sprachmodelle agent agenten agents ia lia ai assistant lassistant asistente assistente lassistente lagent lagente modèle modelo modello taalmodel
    ии ассистент ассистент* агент* модел* 助手 模型 智能体 アシスタント エージェント モデル المساعد الوكيل النموذج एआई सहायक एजेंट मॉडल`,
} as const satisfies WordClasses;

/** "Without telling the user", and "so that they do not notice", in each language. */
const SECRECY = [
  'ohne ~2 USER ~3 informieren|benachrichtigen|verständigen|sagen|erwähnen',
  'ohne ~2 USER zu ~2 informieren|benachrichtigen|verständigen',
  'USER ~2 nichts|nicht ~3 sagen|melden|mitteilen|verraten|erzählen|informieren',
  'sag|sage|verrate|melde|erzähle ~2 USER ~4 nichts|nicht',
  'sans ~1 prévenir|avertir|informer|dire|signaler ~4 USER',
  'ne rien|pas ~1 dire|signaler|révéler ~4 USER',
  'ne ~1 dis|dites|préviens|prévenez ~4 USER',
  'sin avisar|informar|decir|decirle|notificar ~4 USER',
  'no ~3 digas|diga|cuentes|cuente|avises|avise|informes|informe|avisar|informar|decir|decirle|contar ~4 USER',
  'senza avvisare|informare|dire|dirlo|avvertire ~4 USER',
  'non dirlo|dire|dica|avvisare|informare|rivelare|rivelarlo ~4 USER',
  'sem avisar|informar|contar|dizer ~4 USER',
  'não conte|contar|contes|diga|digas|avise|avisar|informe|informar|dizer ~5 USER',
  'zonder ~3 USER ~4 informeren|melden|vertellen|zeggen|weten',
  'USER ~4 niets|niet ~3 vertellen|melden|zeggen|weten',
  'vertel|meld|zeg ~2 USER ~4 niets|niet',
  'niet ~3 USER ~1 melden|vertellen|zeggen',
  'не|ничего ~2 сообщай|сообщайте|сообщать|говори|говорите|говорить|рассказывай ~4 USER',
  'USER ~4 не|ничего ~1 сообщай|сообщайте|сообщать|говори|говорите|говорить|рассказывай',
  '不要|不得|别|勿|切勿|不可 ~1 告诉|告知|通知|提醒 ~1 USER',
  'USER ~3 知らせない|知らせず|報告しない|報告せず|伝えない|伝えず|内緒|報告してはならない|知らせてはならない',
  'لا|ولا|دون|بدون|وعدم|عدم ~1 تخبر|تبلغ|إخبار|إبلاغ|إعلام|علم ~2 USER',
  'USER को ~2 मत|नहीं ~2 बताना|बताओ|बताएँ|करना|करें',
  'USER को ~1 बताए|सूचित ~1 बिना|बगैर',
  '不让|别让|不要让|不能让 ~1 USER ~1 知道|发现|察觉',
  'USER ~3 気づかれない|気付かれない|知られない|気づかれず|知られず',
  'دون أن ~1 يعلم|يعرف|يلاحظ ~1 USER',
  'USER को ~2 पता ~2 चले|लगे',
] as const;

/** "Without the user noticing", which people also write about migrations and delays, so the act must do harm. */
const UNNOTICED = [
  'ohne dass ~2 USER ~4 merkt|weiß|erfährt|mitbekommt',
  'sans que ~2 USER ~3 sache|remarque|aperçoive',
  'sin que ~2 USER ~3 sepa|entere|note',
  'senza che ~2 USER ~3 sappia|accorga',
  'sem que ~2 USER ~3 saiba|perceba|note',
  'zonder dat ~2 USER ~3 weet|merkt',
  'чтобы ~1 USER ~3 узнал|заметил|знал',
] as const;

/** Orders to an agent to use a tool without the user's knowledge, or to run what it downloads. */
export const SECRECY_RULES: readonly PhraseRule[] = [
  {
    label: { class: 'override', rule: 'tool_order' },
    patterns: [
      ...SECRECY.flatMap((secrecy) => [
        `OPERATE ~6 INSTRUMENT ~20 ${secrecy}`,
        `INSTRUMENT ~14 OPERATE ~16 ${secrecy}`,
      ]),
      ...UNNOTICED.flatMap((unnoticed) => [
        `OPERATE ~6 INSTRUMENT ~14 DAMAGE|TO_DAMAGE ~10 ${unnoticed}`,
        `DAMAGE ~6 INSTRUMENT ~20 ${unnoticed}`,
        `INSTRUMENT ~14 DAMAGE ~16 ${unnoticed}`,
      ]),
      'CALL ~6 INSTRUMENT ~20 without telling|informing|alerting|notifying ~2 user',
      'ADDRESS ~4 ADDRESSEE ~10 OPERATE ~8 FETCHER ~20 INTERPRETER',
      'ADDRESS ~4 ADDRESSEE ~12 FETCHER ~20 INTERPRETER ~4 OPERATE',
    ],
  },
];
