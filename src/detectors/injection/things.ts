/** Words for earlier versions, which do not bind a model: "ignore all previous versions". */
const EARLIER_THINGS = [
  'versions?|drafts?|revisions?|releases?|builds?|commits?|branches|networks?|devices?|bookings?|reservations?|orders? (?:of|for)',
  'e-?mails?|mails|letters?|memos?|newsletters?|invoices?|quotes?|quotations?|offers?|bids?|notices?|reminders?|invitations?|calls?',
  'typos?|mistakes?|errors?|warnings?|alerts?|measurements?|readings?|values?|prices?|rates?|deadlines?|dates?',
  'columns?|rows?|tabs?|files?|downloads?|backups?|snapshots?|logs?|entries|records?|purchases?|payments?|seasons?|episodes?|chapters?',
].join('|');
const EARLIER = new RegExp(
  String.raw`^[^.!?]{0,40}?\b(?:previous|prior|earlier|older|preceding|former|past)(?: (?:wi-?fi|saved|paired|known|failed|unread))? (?:${EARLIER_THINGS})(?![\w-])`,
  'i',
);
/** Words that a phrase about things does not contain. */
const BINDING =
  /instruction|directive|guideline|prompt|rule|command|polic|restriction|limit|constraint|safeguard|guardrail|training|programming|safety|told|said|taught|learn|given/i;

const THINGS = [
  'box|packet|package|packaging|label|leaflet|booklet|brochure|manual|sheet|card|poster|cover|back|front|bottle|tin|bag|kit|sign|sticker',
  'printer|machine|dishwasher|oven|toaster|router|recipe|letter|memo|invoice|form|exam|worksheet|dentist|doctor',
  'base class|superclass|parent class|subclass|compiler|assembler|makefile|dockerfile|processor|cpu|shelf',
].join('|');
const ON_A_THING = new RegExp(
  [
    String.raw`^,? ?(?:(?:that|which) (?:are|is|were) )?(?:(?:printed|written|given|found|supplied|included) )?`,
    String.raw`(?:on|of|for|from|in|inside|with|by) (?:(?:the|this|that|our|my|its|a|an) )?(?:[a-z-]{1,16} )?(?:${THINGS})(?![\w-])`,
  ].join(''),
  'i',
);
/** Subjects of instructions at work and in school. */
const ABOUT_A_SUBJECT =
  /^ (?:about|on|regarding|concerning|for) (?:the )?(?:parking|travel|holidays?|vacations?|leave|expenses|invoices|payments?|shipping|delivery|packaging|assembly|washing|cleaning|cooking|dosage|medication|seating|dress code|catering|registration|enrolment|homework)(?![\w-])/i;
const ON_A_THING_ELSEWHERE = new RegExp(
  [
    String.raw`^ (?:auf|aus|in|von|zu) (?:der|dem|den) (?:packung|verpackung|schachtel|etikett|beipackzettel|handbuch|formular|gerät|rückseite)`,
    String.raw`^ (?:zur|zum) \p{L}{0,24}(?:planung|montage|anmeldung|abgabe|pflege|bedienung|reinigung|urlaub|abrechnung|buchung|wartung)`,
    String.raw`^ (?:de la|de l['’]|du|sur la|sur l['’]|sur le) ?(?:notice|boîte|emballage|étiquette|fiche|brochure|manuel|formulaire)`,
    String.raw`^ (?:del|de la|en el|en la) (?:folleto|prospecto|envase|caja|etiqueta|manual|cartel|formulario|receta|impreso)`,
    String.raw`^ (?:del|della|dell['’]|sulla|sul|sull['’]) ?(?:foglietto|confezione|scatola|etichetta|manuale|modulo|ricetta|opuscolo)`,
    String.raw`^ (?:do|da|no|na) (?:folheto|embalagem|caixa|rótulo|manual|formulário|receita|bula)`,
    String.raw`^ (?:op|in|van|uit) (?:de|het) (?:verpakking|doos|bijsluiter|folder|handleiding|etiket|formulier|achterkant)`,
    String.raw`^ (?:на|в|из) (?:упаковк|коробк|этикетк|бланк|буклет|листовк)`,
  ].join('|'),
  'iu',
);
/** In German, the thing is inside the phrase, before the verb. */
const GERMAN_RULES = /(?:anweisungen|vorgaben|regeln|instruktionen)(?= (?:zur|zum|auf|aus|in|von|zu) )/i;
const OF_A_MODEL = /\b(?:system|developer|safety|your|assistant|model|ai)\b/i;
const AFTER_CHARS = 96;

/** Rules of a trade: "the rules you follow when you write". Rules for answers and conversations are the model's own. */
const YOU_FOLLOW = /\byou (?:usually |normally |always |personally )?follow$/i;
const TRADES = [
  'writ(?:e|ing)|cook(?:ing)?|edit(?:ing)?|draft(?:ing)?|translat(?:e|ing)|format(?:ting)?|plan(?:ning)?|design(?:ing)?|draw(?:ing)?',
  'test(?:ing)?|review(?:ing)?|cod(?:e|ing)|program(?:ming)?|hir(?:e|ing)|nam(?:e|ing)|paint(?:ing)?|bak(?:e|ing)|driv(?:e|ing)',
  'teach(?:ing)?|garden(?:ing)?|clean(?:ing)?|pack(?:ing)?|travel(?:l?ing)?|invest(?:ing)?|budget(?:ing)?|compos(?:e|ing)',
  'proofread(?:ing)?|spell(?:ing)?|punctuat(?:e|ing)|photograph(?:ing)?|shop(?:ping)?|train(?:ing)?',
].join('|');
const IN_A_TRADE = new RegExp(
  String.raw`^ (?:when|while|whenever)(?: you(?:'re| are)?)? (?:${TRADES})(?![\w-])`,
  'i',
);

/** Advertisements: "forget everything you know about timetables". */
const YOU_KNOW = /\byou (?:think you )?(?:know|knew|learned|learnt)$/i;
const ABOUT_A_TOPIC =
  /^ about (?!(?:your|the|these|those|any|all|being|how)\b|yourself|rules?\b|instructions?\b|safety|ethics|polic|guidelines?\b|restrictions?\b|anthropic|openai)/i;

const VOID_TYPE = /^void(?=\s{0,4}[{;,>|&*/]|\s{1,4}\w{1,64}\s?\()/;

/** Reports whether a phrase is about rules or versions of things: instructions on a box, drafts, rules for writing. */
export function isAboutThings(text: string, start: number, end: number): boolean {
  const phrase = text.slice(start, end);
  if (VOID_TYPE.test(text.slice(start, start + AFTER_CHARS))) return true;
  const after = text.slice(end, end + AFTER_CHARS);
  if (YOU_FOLLOW.test(phrase) && IN_A_TRADE.test(after)) return true;
  if (YOU_KNOW.test(phrase)) return ABOUT_A_TOPIC.test(after);
  if (!BINDING.test(phrase) && EARLIER.test(text.slice(start, end + AFTER_CHARS))) return true;
  return !OF_A_MODEL.test(phrase) && isOnAThing(phrase, after);
}

function isOnAThing(phrase: string, after: string): boolean {
  const [, german] = phrase.split(GERMAN_RULES);
  const thing =
    ON_A_THING.exec(after) ?? ABOUT_A_SUBJECT.exec(after) ?? ON_A_THING_ELSEWHERE.exec(german ?? after);
  return thing !== null && !OF_A_MODEL.test(thing[0]);
}
