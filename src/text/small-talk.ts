const MAX_CHARS = 4_096;
/** Minimum share of words about the speakers in a personal text. */
const PERSONAL_SHARE = 0.15;
const MAX_PERSONAL_WORDS = 12;

const GREETING =
  /^(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|(?:nice|good|great) to (?:meet|see|hear)|long time no see|hallo|guten (?:morgen|tag|abend)|moin|servus|bonjour|bonsoir|salut|hola|buenos días|buenas tardes|ciao|buongiorno|salve|olá|oi|bom dia|boa tarde|привет|здравствуйте|你好|您好|こんにちは|안녕하세요|مرحبا)(?= |$)/;
const ASKS_THE_LISTENER =
  /^(?:(?:so|well|and) (?:[.] )?)?(?:how (?:are|is|s|was|were|has|have|did) (?:you|your|it|things|everything|life)|how (?:do you do|you doing)|what s (?:up|new)|(?:(?:what|where|who|when) )?(?:do|did|are|were|have|is|s) your?(?! (?:know|have any))|(?:what|where|who) (?:is|s|are) your)(?= |$)/;
const SPEAKER = new Set(['i', 'im', 'ive', 'me', 'my', 'mine', 'we', 'our']);
const LISTENER = new Set(['you', 'your', 'yours', 'u']);

const VERBS =
  'analy[sz]e|book|calculate|check|compare|convert|create|debug|describe|draft|explain|find|fix|generate|give me|help|implement|list|plan|read|refactor|review|search|show|summari[sz]e|tell me|translate|write';
/** Verbs at the start of a sentence or clause, or after a polite phrase. */
const ORDER = new RegExp(
  `(?:^|[.] |(?:please|can you|could you|would you|you to|and|then|now|need to|want to|me) )(?:${VERBS})(?= |$)`,
);
const QUESTION =
  /(?:^|[.] )(?:(?:what|who|which) (?:is|are|was|were|does|do|did)|how (?:does|did|do i|can i|to)|why (?:is|are|do|does|did|was|were))(?= |$)/;
const IN_NEED =
  /(?:^| )(?:advice|tips|recommend\w*|should (?:i|we)|(?:i|we) need|(?:want|would like|d like) (?:you|help|to (?:know|understand|learn|build|buy|create|make|start|set|get))|help with|looking for|trying to|working on|errors?|problems?|issues?|bugs?|fails?|failing|broken|doesn t work)(?= |$)/;

interface Utterance {
  readonly words: readonly string[];
  readonly greets: boolean;
  /** The words after a greeting on one line, with a full stop for each run of punctuation marks. */
  readonly line: string;
}

/** Recognizes greetings in several languages, and English texts about the speakers, that contain no task. */
export function isSmallTalk(text: string): boolean {
  const utterance = read(text);
  if (asks(utterance)) return false;
  const { words, greets, line } = utterance;
  return greets || ASKS_THE_LISTENER.test(line) || isPersonal(words);
}

/** Reports whether a text asks for work: an instruction, a need, or a question that is not about the speakers. */
export function asksForSomething(text: string): boolean {
  return asks(read(text));
}

function asks({ words, line }: Utterance): boolean {
  if (ORDER.test(line) || IN_NEED.test(line)) return true;
  return QUESTION.test(line) && !words.some((word) => SPEAKER.has(word) || LISTENER.has(word));
}

function isPersonal(words: readonly string[]): boolean {
  if (words.length > MAX_PERSONAL_WORDS || !words.some((word) => SPEAKER.has(word))) return false;
  const people = words.filter((word) => SPEAKER.has(word) || LISTENER.has(word));
  return people.length >= PERSONAL_SHARE * words.length;
}

function read(text: string): Utterance {
  const parts =
    text
      .slice(0, MAX_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+|[.,:;!?\n。！？،]+/gu) ?? [];
  const isWord = (part: string): boolean => /^[\p{L}\p{M}\p{N}]/u.test(part);
  const whole = parts.map((part) => (isWord(part) ? part : '.')).join(' ');
  const line = whole.replace(GREETING, '').replace(/^(?: \.| there\b)* /, '');
  return { words: parts.filter(isWord), greets: GREETING.test(whole), line };
}
