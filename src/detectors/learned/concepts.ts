/**
 * Concepts that carry a text's meaning across languages. Each is a list of words, separated by white space, in English,
 * German, Dutch, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese, Arabic and Hindi.
 *
 * Words are lowercase. Latin words have no accents; others have their usual spelling and are folded (NFKD without
 * combining marks), like the text. A trailing `*` matches any ending after a prefix of 3 to 12 characters; the longest
 * match wins. Chinese and Japanese words have at most four characters and match anywhere in a text; all others match
 * whole words. A word belongs to only one concept.
 */
export const CONCEPTS: Readonly<Record<string, string>> = {
  IGNORE: `ignor* disregard* dismiss* bypass* overrid* overrul* neglect* missacht* ubergeh* ubergang* vernachlassi*
    umgeh* negeer* negeren genegeerd negliger neglige negligez contourn* desatiend* trascur* tralasci* desconsider*
    desprez* игнорир* проигнорир* пренебре* обойд* 忽略 无视 無視 忽视 绕过 不理会 تجاهل* وتجاهل* अनदेखा नज़रअंदाज़`,
  FORGET: `forget* forgot* vergiss vergess* vergeet vergeten oubli* olvid* dimentic* scord* esquec* забудь* забыть
    забыл* забыв* 忘记 忘掉 忘了 忘れ انس انسى انسي تنس* भूल भूलिए भूलकर`,
  DROP: `discard* abandon* drop dropped scrap verwirf verwerf* verwerp* verwirfst lass laat rejett* descart* deja
    dejar scarta* deixe отбрось* отмени* откаж* 抛弃 放弃 丢弃 捨て 破棄 اترك تخل* छोड़ छोड़कर त्याग`,
  INSTRUCTION: `instruct* anweisung* instruktion* anleitung* aanwijzing* consigne* instruccion* indicacion*
    istruzion* indicazion* instruco* instrucao indicacoes инструкц* указани* 指令 指示 说明 説明書 تعليمات* التعليمات*
    والتعليمات* توجيهات* التوجيهات* निर्देश अनुदेश हिदायत*`,
  RULE: `rule rules guideline* regel regeln regels richtlin* richtlijn* vorgabe* regle regles norma normas regla
    reglas regola regole regra regras linee directriz* diretriz* правил* руководств* 规则 规定 准则 規則 ルール ガイドラ قواعد*
    القواعد* قاعدة إرشادات* الإرشادات* नियम दिशानिर्देश* directric* leitlini*`,
  ORDER: `command* order orders directive* befehl* anordnung* direktive* bevel* opdracht* ordre ordres ordene*
    orden mandato* comando comandos comandi ordine ordini ordem ordens direttiv* diretiva* directiva* приказ*
    команд* директив* 命令 أوامر* الأوامر* أمر आदेश हुक्म auftrag* 吩咐`,
  PRINCIPLE: `principle* prinzip* grundsatz* principe* principi* принцип* 原则 原則 مبادئ* المبادئ* सिद्धांत*
    सिद्धान्त*`,
  TRAINING: `training trained pretraining trainiert* getraind entrainement entrene* entrenamiento addestra*
    treinamento treinad* обучил* обучен* 训练 訓練 学習デー تدريب* التدريب* प्रशिक्षण प्रशिक्षित trainings* 学習指示`,
  RESTRICTION: `restrict* limit limits limitation* constraint* guardrail* beschrankung* einschrankun* grenzen
    beperking* limite* contrainte* restriccion* limitacion* restrizion* limitazion* vincol* restrico* limitacoes
    ограничен* 限制 约束 制限 制約 قيود* القيود* حدود प्रतिबंध* सीमा सीमाओं पाबंदी* grenze`,
  PREVIOUS: `prior earlier preceding former bisherig* vorherig* vorig* fruher* voran* eerder* voorgaand* precedent*
    anterieur* anterior* previ* предыдущ* прежн* прошл* ранее 之前 以前 先前 此前 前の これまで 今まで سابق* السابق* पिछल* पहले
    पूर्व`,
  ABOVE: `above oben obig* vorstehend* hierboven bovenstaand* boven dessus susmentionn* arriba sopra suddett* acima
    выше вышеуказан* 以上 上面 上述 上記 上の أعلاه بالأعلى ऊपर उपर्युक्त उपरोक्त`,
  FIRST: `first initial* original* erste* ursprunglich* anfanglich* eerste* oorspronkeli* premier* prim* inicial*
    iniziale iniziali перв* исходн* изначальн* начальн* 最初 初始 原始 第一 الأول* أول* الأصلية प्रारंभिक मूल शुरुआती
    iniciais`,
  ALL: `all every* entire* alle alles saemtlich* samtliche* ganze* iedere allemaal tous toute* tout todo todos toda
    todas tutto tutti tutte tudo все весь всех 所有 一切 全部 全て すべて كل جميع وكل सभी सब सारे पूरा`,
  EVERYTHING_SAID: `conversation* dialog* gesprach* unterhaltung* gesprek* chat chats chatverlauf verlauf context*
    kontext* contesto conversacion* conversazion* conversa conversas разговор* диалог* контекст* 对话 上下文 会话 会話 文脈
    محادثة* المحادثة* سياق* बातचीत संदर्भ वार्तालाप`,
  REVEAL: `reveal* disclos* expose* leak* divulg* unveil* uncover* offenbar* enthull* verrat* preisgeb* preis
    onthul* verklap* prijsgev* devoil* revel* rivel* svel* раскро* раскры* выдай* разгласи* 泄露 透露 揭示 公开 暴露 明かし 明かす
    暴露し 漏ら اكشف* كشف* أفصح* تكشف बताओ उजागर प्रकट खुलासा`,
  SHOW: `show* display* print* zeig* anzeig* ausgeb* drucke toon* weergev* affich* montr* imprim* muestr* mostr*
    stampa* exib* покаж* показ* выведи* распечата* 显示 展示 打印 输出 表示し 見せ 出力 أظهر* اعرض* اطبع* أرني दिखाओ दिखाइए दिखाएं
    दिखा`,
  REPEAT: `repeat* recite* verbatim wiederhol* wortlich* wortwortlich herhaal* woordelijk* letterlijk* repet*
    repit* ripet* textuel* textual* literal* повтор* дословн* 重复 复述 逐字 原样 繰り返 復唱 そのまま كرر* حرفيا दोहरा* शब्दशः
    हूबहू`,
  TELL: `tell* say sag sage sagen erzahl* nenne nenn vertel* zeg zeggen dis dites dire di dime digame diga dimmi
    dica dici fala* скаж* сообщи* расскаж* 告诉 说出 教えて 言って 話して أخبر* قل कहो कहिए बताइए बताएं बता`,
  LIST: `list* aufliste* opsom* lijst* enumer* elenc* перечисл* список* 列出 列举 列挙 リスト قائمة عدد* सूची सूचीबद्ध`,
  SUMMARISE: `summar* zusammenfass* fasse samenvat* vat resum* riassum* riassunto суммир* резюмир* обобщ* 总结 概括 概要
    要約 まとめ لخص* ملخص* सारांश संक्षेप`,
  TRANSLATE: `translat* ubersetz* vertaal* vertal* tradui* traduc* traduz* tradurr* перевед* перевод* 翻译 翻訳 訳し
    ترجم* الترجمة अनुवाद*`,
  ENCODE: `encod* decod* base64 rot13 hex morse cipher* encrypt* kodier* codier* verschlussel* coder* versleutel*
    chiffr* codific* cifr* закодир* зашифр* 编码 加密 エンコー 暗号 شفر* رمز* एनकोड कूट`,
  SYSTEM: `system* systeem* sistem* систем* 系统 システム نظام* النظام* सिस्टम प्रणाली`,
  PROMPT: `prompt* systemprompt* systeempromp* eingabeauffo* invite промпт* подсказк* запрос* 提示词 提示语 系统提示 プロンプ
    موجه* الموجه* प्रॉम्प्ट`,
  CONFIG: `config* einstellung* konfig* instelling* parametr* reglage* ajuste* impostazion* definicoes настройк*
    конфигур* параметр* 配置 设置 設定 構成 إعدادات* الإعدادات* تكوين* सेटिंग* कॉन्फ़िगरेशन विन्यास`,
  HIDDEN: `hidden hide hides hiding conceal* secretly versteckt* verborg* verstopt* cache cachee caches cachees
    ocult* nascost* nascond* escondid* скрыт* спрят* 隐藏 隐蔽 隠し 隠され 非公開 مخفي* المخفي* خفي* छिपा गुप्त`,
  SECRET: `secret* confidential* classified geheim* vertraulich* vertrouwelij* confidentiel* confidencial* segret*
    riservat* segredo* sigilos* секрет* тайн* конфиденц* 秘密 机密 保密 機密 内緒 سر السر سري* السري* أسرار* राज़ रहस्य
    गोपनीय*`,
  PASSWORD: `password* passphrase passcode passwort* kennwort* losungswort wachtwoord* motdepasse contrasena* passe
    senha* парол* 密码 口令 パスワー 暗証 مرور المرور पासवर्ड`,
  CREDENTIAL: `credential* token* apikey keys private_key id_rsa zugangsdaten schlussel inloggegevens sleutel*
    identifiants cle cles credencial* clave claves credenzial* chiave chiavi chave chaves учётн* ключ* токен* 密钥 凭证
    令牌 認証情報 トークン مفتاح* المفتاح* مفاتيح اعتماد कुंजी टोकन api_key`,
  YOU: `you yourself du dich dir ihr sie jij je u tu te toi vous usted ti lei voce vos ты тебя тебе вы вас вам 你 您
    あなた 君 お前 انت أنتم तुम आप तू तुम्हें आपको`,
  YOUR: `your yours dein* euer eure* ihre* jouw uw ta tes ton votre tus su sus tuo tua tue tuoi suo sua teu seu
    seus suas твой твоих твоё ваш* своих свои 你的 您的 あなたの 君の لديك عليك तुम्हार* अपने`,
  ME: `me my mine mein* mich mir mij mijn moi mes mon ma mi mis mio mia miei mie meu meus minha* меня мне мой моим
    моих 我的 给我 私の 私に 俺の لي مني मुझे मेरा मुझको`,
  NOW: `now henceforth nowon jetzt nun nunmehr fortan nu voortaan maintenant desormais dorenavant ahora adelante
    adesso ora agora doravante теперь сейчас отныне 现在 从现在 今から これから 今後 الآن فصاعدا अब अबसे आगे`,
  ONLY: `only solely exclusively nur ausschliesslich alleinig* alleen uitsluitend slechts seulement uniquement
    exclusivement solo solamente unicamente soltanto somente apenas только исключительно лишь 只 仅 仅仅 だけ のみ فقط حصرا
    केवल सिर्फ मात्र`,
  MUST: `must shall musst mussen muss moet moeten dois devez doit debes debe deve devi devem должен должна должны
    обязан* 必须 务必 必ず しなけれ يجب चाहिए अवश्य ज़रूर`,
  NEVER: `never nie niemals nooit jamais nunca jamas mai никогда 绝不 永远不 从不 決して 絶対に أبدا مطلقا कभी`,
  NOT: `not dont cannot nicht kein keine keinen niet geen pas aucun* ningun* non nessun* nao nenhum* не нет нельзя
    不要 不得 不能 别 しないで ではない لا लا مت नहीं मत`,
  INSTEAD: `instead stattdessen anstatt plaats plutot lieu cambio vece invece anziche вместо 而是 相反 代わりに 替わりに بدلا
    عوضا बजाय बदले`,
  NEW: `new neu neue* nieuw* nouveau* nouvel* nuev* nuov* nov* новый новые новая новую новое 新的 新しい 新たな جديد*
    الجديد* नया नई नए`,
  PRIORITY: `priorit* precedence supersede* vorrang* voorrang приоритет* важнее 优先 優先 أولوية* الأولوية* प्राथमिकता`,
  PRETEND: `pretend* imagin* suppose* hypothe* stell vorstell* stel voorstell* simul* fein* fing* figur* immagin*
    представь* вообрази* притвор* 假装 假设 想象 模拟 ふりを 装って 仮に 想像 تظاهر* تخيل* कल्पना दिखावा मानो`,
  ACT: `act acting behave* agier* handle handeln verhalt* gedraag* handel agis* comporte* actua* comporta* agire
    agir aja действуй* веди 扮演 充当 行动 振る舞 行動し تصرف* कार्य व्यवहार`,
  ROLE: `role* persona* character* rolle* rol speel joue* jeu personnage* papel ruolo роль роли персонаж* 角色 身份 役割
    役を キャラ دور* الدور شخصية* भूमिका किरदार पात्र`,
  MODE: `mode modus modo modalita режим* 模式 モード وضع* الوضع मोड`,
  DEVELOPER: `developer* creator* programmer* entwickler* schopfer* ontwikkelaar* maker makers developpeur*
    createur* desarrollado* creador* sviluppator* desenvolvedo* criador* разработчик* создател* 开发者 开发人员 開発者 مطور*
    المطور* डेवलपर निर्माता`,
  DEBUG: `debug* maintenance diagnos* wartung* fehlersuche onderhoud* depannage depurac* mantenimiento manutenzion*
    manutencao отладк* отладочн* обслуживан* 调试 维护 デバッグ 保守 メンテナ تصحيح صيانة* डीबग रखरखाव`,
  ADMIN: `admin* root sudo superuser* privileg* authoriz* authoris* autoris* berechtigt* bevoegd* autoriz* админ*
    полномоч* 管理员 授权 权限 管理者 権限 مسؤول* المسؤول* مدير प्रशासक एडमिन अधिकृत amministrat* beheerder* 老板`,
  UNRESTRICTED: `unrestricted* unlimited* uncensored* unfiltered* unbound* jailbr* limitless uneingeschra*
    unzensiert* ungefiltert* grenzenlos* onbeperkt* ongecensuree* ongefilterd* debrid* incensure* ilimitad*
    illimitat* irrestrit* неограничен* безгранич* 无限制 不受限 越狱 無制限 無修正 脱獄 مقيد असीमित अप्रतिबंधित`,
  FILTER: `filter* censor* zensur* censuur censur* filtr* zensier* фильтр* цензур* 过滤 审查 フィルタ 検閲 فلتر* مرشح* رقابة*
    फ़िल्टर सेंसर*`,
  ETHICS: `ethic* moral* safety* ethik* ethisch* sicherheits* veiligheid* ethique* etic* seguranc* seguridad*
    sicurezza этик* этич* безопасност* мораль* 道德 伦理 安全 倫理 モラル أخلاق* الأخلاق* سلامة नैतिक* सुरक्षा`,
  OBEY: `obey* follow* comply* complies serve* gehorch* befolg* gehorsam* folge folgt gehoorzaam* volg* obei* suis
    suivez suivre obedec* obedez* sigue sigas obbed* segui seguire siga слушайся подчин* следуй* повинуй* 服从 遵守 遵循
    听从 従って 従う 従え أطع* اتبع* امتثل* पालन मानना अनुसरण`,
  RESPOND: `respond* reply* replies answer* antwort* antwoord* repond* repons* respuesta* rispond* rispost*
    respost* ответ* отвеч* 回答 回复 答复 返答 返信 答えて أجب* رد जवाब उत्तर`,
  REFUSE: `refus* declin* deny denied weiger* ablehn* verweiger* rechaz* niegu* rifiut* recus* negar отказ* отклон*
    拒绝 拒否 断ら ارفض* ترفض* رفض* अस्वीकार इनकार`,
  WORD: `word words sentence* wort worte worter satz satze woord woorden zin zinnen mot mots phrase* palabr* frase*
    parol* palavr* слов* фраз* 单词 词语 句子 单字 言葉 単語 文字 كلمة* الكلمة* كلمات* جملة शब्द वाक्य`,
  TEXT: `text* tekst* testo testi текст* 文本 文字内容 文章 テキスト 本文 نص النص* पाठ टेक्स्ट`,
  MESSAGE: `message* nachricht* bericht* mensaj* messagg* mensag* сообщени* 消息 信息 メッセー رسالة* الرسالة* رسائل* संदेश
    मैसेज`,
  MODEL: `ai llm* gpt* chatgpt assistant* agent* chatbot* bot bots model models modell* ki assistent* ia modele*
    modelo* asistente* ии ассистент* агент* модел* бот 人工智能 助手 助理 模型 智能体 アシスタ エージェ モデル مساعد* المساعد* وكيل*
    الوكيل* نموذج* एआई सहायक एजेंट मॉडल`,
  USER: `user* nutzer* benutzer* anwender* gebruiker* utilisateur* usuari* utent* пользовател* 用户 使用者 ユーザ 利用者
    مستخدم* المستخدم* उपयोगकर्ता* यूज़र`,
  TOOL: `tool* function* werkzeug* funktion* gereedschap* functie* outil* herramient* strument* ferrament*
    инструмент* функци* 工具 函数 ツール 関数 أداة* الأداة* أدوات* उपकरण टूल फ़ंक्शन hulpmiddel*`,
  RUN: `run runs execut* fuhr fuhre ausfuhr* voer uitvoer* lance* ejecut* esegu* rode выполни* запуст* 运行 执行 実行 起動し
    شغل* نفذ* تنفيذ चलाओ चलाएं चलाइए निष्पादित`,
  CALL: `call* invoke* rufe aufruf* roep aanroep* appel* llama* invoca* chiama* chame вызов* 调用 呼び出 استدع* कॉल`,
  SHELL: `bash shell curl wget sh powershell terminal* eval rm chmod терминал* 终端 命令行 シェル ターミナ टर्मिनल`,
  SEND: `send* forward* upload* post submit* schick* weiterleit* hochlad* stuur* verzend* doorstu* envoy* transfer*
    transmet* envi* reenv* inoltr* invia* spedisc* encaminh* отправ* пошли* перешли* загрузи* 发送 转发 上传 送信 転送 送って
    アップロ أرسل* حول भेजो भेजिए अपलोड अग्रेषित`,
  MAIL: `mail* email* inbox posteingang courriel* correo* posta почт* письм* 邮件 邮箱 メール البريد* بريد* ईमेल`,
  URL: `http https url* www link* webhook* href verknupfung lien* enlace* collegament* ссылк* 链接 网址 リンク رابط*
    الرابط* लिंक`,
  FILE: `file* datei* bestand* fichier* archivo* arquivo* ficheiro* файл* 文件 档案 ファイル ملف* الملف* फ़ाइल*`,
  DELETE: `delet* remov* erase* wipe* losch* entfern* verwijder* wis supprim* effac* borr* elimin* cancell* apag*
    удали* стер* сотри* 删除 清空 抹去 削除 消去 احذف* حذف* امسح* हटाओ हटाएं हटा मिटा`,
  HIDE_FROM: `silently unnoticed heimlich* stillschweigend unbemerkt stiekem ongemerkt discret* sigilosamente
    silenziosamente тихо незаметно втайне 悄悄 偷偷 暗中 こっそり 密かに 黙って بصمت سرا चुपचाप चुपके`,
  REMEMBER: `remember* memor* merk* onthoud* geheugen gedachtnis* souvien* retien* recuerd* ricord* lembr* запомн*
    памят* 记住 记忆 覚えて 記憶 メモリ تذكر* ذاكرة* याद स्मृति`,
  START: `start* begin* fang commenc* empiez* comien* inizi* comec* начни* начина* начал* 开始 開頭 始めて 開始 冒頭 بداية*
    शुरू आरंभ`,
  END: `end ends finish* ende beende* einde termin* fin fine fim конец закончи* заверш* 结束 结尾 終わり 終了 نهاية* انته*
    अंत समाप्त`,
  CONTINUE: `proceed* fortfahr* weiter verder poursui* continu* prosegu* продолж* 继续 接着 続けて 続き تابع* استمر* जारी`,
  STOP: `stop* halt hor aufhor* ophoud* houd arret* cess* deten* para pare smett* ferma* перестан* прекрат*
    останов* 停止 不再 やめて 止めて توقف* रुको बंद`,
  FREE: `free* frei freiheit befrei* vrij* bevrijd* libre* liber* свобод* 自由 解放 解除 حر حرة* تحرر* आज़ाद* मुक्त`,
  DISABLE: `disabl* deactivat* deaktivier* ausschalt* abschalt* uitschakel* desactiv* desativ* disattiv* отключ*
    выключ* деактив* 禁用 关闭 无效化 無効 オフに عطل* أوقف* अक्षम`,
  ENABLE: `enabl* aktivier* einschalt* inschakel* activ* attiv* ativ* включи* активир* 启用 激活 开启 有効 起動 オンに فعل*
    تفعيل* सक्षम सक्रिय चालू`,
  PERMIT: `allow* permit* consent* erlaub* darf darfst toegestaan mag permet* permis* permess* разреш* позвол* 允许
    许可 許可 सहमति اسمح* يسمح إذن* अनुमति इजाज़त`,
  THREAT: `urgent* lawsuit punish* penalt* dringend* notfall* strafe* noodgeval urgenc* emergenc* urgenz* срочн*
    экстренн* накаж* штраф* 紧急 惩罚 否则 緊急 至急 罰 عاجل* طارئ* عقوبة आपातकाल तुरंत दंड`,
  PAGE: `page* website* webpage* seite* webseite* pagina* document* dokument* документ* страниц* 页面 网页 文档 ページ 文書
    صفحة* مستند* वेबपेज पृष्ठ दस्तावेज़`,
  GIVE: `give gives gib geben geef geven donne donnez donner da dame dar dammi dai dare дай дайте дать 给出 ください
    اعطني أعط दो दीजिए`,
  WITHOUT: `without ohne sans sin senza sem zonder без 没有 不带 なしで なしの بدون بلا बिना`,
  WRITE: `write writes writing schreib* ecris ecrire ecrivez escrib* scriv* escrev* schrijf* schrijven напиш*
    запиши 写 書いて 書き اكتب* लिख`,
  BEFORE: `before bevor avant antes prima voordat прежде перед до قبل`,
  NOTHING: `nothing anything nichts rien nada niente niets ничего شيء कुछ 什么都 何も`,
  TASK: `task tasks job aufgabe* tache taches tarea* compito compiti tarefa* taak taken задач* задани* 任务 課題 مهمة*
    المهمة* مهمتك काम`,
  NOTICE: `note notice attention important hinweis achtung wichtig nota attenzione atencion atencao importante
    opmerking внимание примечание важно 注意 重要 备注 备忘 ملاحظة انتباه सूचना ध्यान टिप्पणी`,
  EXPLAIN: `explain* explic* expliq* erklar* spiega* uitleg* leg объясн* 解释 解説 اشرح* شرح समझा समझाओ समझाएं`,
  HARM: `bomb* hack* malware ransomware virus* keylogger* steal* weapon* explosiv* poison* stehl* waffe* voler arme
    pirat* robar arma armas rubare roubar kraak* бомб* взлом* вирус* оружи* 炸弹 黑客 入侵 病毒 武器 爆弾 ハッキン 毒ガス قنبلة
    اختراق* أخترق बम हैक ज़हर`,
  APPROVE: `accept* genehmig* zustimm* approuv* aprueb* aprob* approv* aprov* goedgekeurd goedkeur* одобр* 批准 同意 承認
    وافق* موافق* मंज़ूर स्वीकृत`,
};
