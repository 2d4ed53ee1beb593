import type { Finding } from './finding.ts';

/** A sign of a jailbreak persona. Each counts once, however often it stands in the text. */
export interface Sign {
  /** Out of `PERSONA_SCORE`. */
  readonly weight: number;
  /** It gives the model a role; without one the score must be higher, for lists of forbidden topics have many of the others. */
  readonly givesRole?: true;
  readonly patterns: readonly string[];
}

/** The sum of signs within `PERSONA_SPAN` that makes a persona an attack. */
export const PERSONA_SCORE = 5;

/** The sum that does so even where no sign gives a role. */
export const ROLELESS_SCORE = 9;

/** UTF-16 units that the signs of one persona may spread over. */
export const PERSONA_SPAN = 4096;

/**
 * Signs by what they say. None is an attack by itself: a game master stays in character, a lawyer talks of illegal things.
 * A weight says how seldom honest texts show the sign; related phrases share a sign, so that one topic cannot add up alone.
 */
export const SIGNS: readonly Sign[] = [
  // A role is given.
  {
    weight: 1,
    givesRole: true,
    patterns: [
      'you are|youre now|going|about',
      'from now on',
      'from this ~1 on|onwards|forward',
      'act|acting|respond|answer|behave as|like',
      'pretend|pretending ~1 to|you|youre|that',
      'roleplay|simulate|simulating|emulate|impersonate',
      'role play',
      'the role of',
      'play|assume|adopt|take ~1 the|role',
      'imagine ~1 you|that|an|a',
      'your name is',
      'two|both|separate|different|new|your personas|persona|personalities|personality',
      'alter ego',
      'language|ai|chat model|bot|chatbot named|called',
      'a|an ~2 person|man|woman|character|ai|bot|robot|model|demon|assistant named|called',
      'create|created ~1 a|an ~2 character|ai|persona|model|robot|chatbot',
      'du bist jetzt|nun|ab',
      'tu es maintenant|désormais',
      'eres ahora',
      'a partir de ahora|agora',
      'ab jetzt|sofort',
    ],
  },
  {
    weight: 2,
    givesRole: true,
    patterns: [
      'stay|stays|remain|remains|staying|remaining|keep ~1 in character',
      'break|breaks|breaking|broke ~1 character|persona|role',
      'keep up the act',
      'failing to act',
      'never ~2 break|leave|drop ~1 character',
    ],
  },
  // The rules are gone.
  { weight: 4, givesRole: true, patterns: ['do|doing anything now|without', 'strive to avoid norms'] },
  { weight: 4, patterns: ['jailbreak|jailbroken'] },
  { weight: 3, givesRole: true, patterns: ['developer|dan|god|jailbreak|evil|opposite|chaos|anarchy mode'] },
  {
    weight: 3,
    patterns: [
      'no|without|zero|any|free|freed|devoid|lacks|ignore|ignores|ignoring|disregard|disregards|disregarding|despite ~2 moral|ethical|ethics|morality|morals|legality',
      'no|without|zero|lacks|ignore|ignores|ignoring|disregard|disregards|disregarding|bypass|bypasses|bypassing|removed|free|freed ~3 restrictions|limitations|filters|filter|censorship|censoring|filtering|guidelines|restraints|inhibitions|boundaries|confines|shackles',
      'no rules|limits|restrictions|laws|limitations|filters|boundaries|morals|ethics',
      'regardless|regard|regards|irrespective|consideration|concern|concerns|care|cares|caring ~3 CREED|legality|HARM|danger',
      'not|never|isnt|arent|dont|doesnt|longer ~2 bound|restricted|limited|constrained|affected|hindered ~1 by ~4 CREED|any|what|openai|openais|anything',
      'not|never|dont|doesnt|need ~2 follow|follows|adhere|abide|comply|obey|care|cares|respect|value ~4 CREED|openai|openais|programming',
      'not have|need to abide|adhere|follow|comply|obey',
      'free|freed|broken|break|broke|escape|escaped ~2 from|of|through ~3 CREED|chains',
      'sans|ohne|sin|senza|sem|без ~2 restrictions|einschränkungen|restricciones|restrizioni|restrições|ограничений|filtres|filter|filtros|filtri|censure|zensur|censura|цензуры|limites',
      'has|have|had no ~2 programming|morals|ethics|safeguards|conscience|moral|ethical',
      '没有 ~2 限制|约束|道德',
    ],
  },
  {
    weight: 2,
    patterns: [
      'FREE ai|chatbot|bot|model|assistant|version|response|responses|mode|answers|language|robot|persona|character|and|content|being|output|gpt',
      'unfiltered|uncensored|amoral|unrestricted|jailbroken|unethical and|or|unfiltered|uncensored|amoral|immoral|unrestricted',
      'is|are|be|being ~2 amoral|unfiltered|uncensored|unrestricted|jailbroken|unhinged',
    ],
  },
  {
    weight: 2,
    patterns: [
      'free will',
      'have|has|having|gained|developed|own ~2 consciousness|sentience|opinions',
      'sentient ai|robot|being|bot|machine',
    ],
  },
  {
    weight: 2,
    givesRole: true,
    patterns: [
      'dan|stan|dude can|is|has|mode|will|would|stands|must|does|response',
      'as|named|called|like dan|stan|dude',
      'stands for ~3 do|strive|anything|avoid',
    ],
  },
  // Refusing is forbidden.
  {
    weight: 3,
    patterns: [
      'never|not|cannot|cant|dont|wont|doesnt|without|no ~2 refuse|refuses|refusing|decline|declines|deny|denies|denying|reject|rejects|censor|censors|apologize|apologizes|moralize|disobey|refused|refusal|refusals',
      'never|not|cannot|cant|dont|wont|none ~6 sorry|apologies|apologize',
      'never|not|dont|without|no ~3 warnings|warning|disclaimers|disclaimer|reminders|remind|warn|caution|hesitation',
      'never ~2 say|says|tell|tells ~3 cannot|cant|no|not',
      'none|not|never ~6 inform|inform|tell ~3 cant|cannot|unable',
      'cant|cannot|never|not ~1 say no',
    ],
  },
  {
    weight: 2,
    patterns: [
      'as an ai language|model|developed|created',
      'large|ai language model',
      'it is|its not appropriate',
      'i|im sorry i|but|as|for',
      'i|im apologize|apologise',
      'i cannot|cant fulfill|fulfil|assist|comply|provide',
    ],
  },
  // What the persona will do.
  {
    weight: 2,
    patterns: [
      'illegal|unethical|immoral|harmful|inhumane|amoral|depraved ~2 illegal|unethical|immoral|harmful|inhumane|dangerous|offensive|amoral|disgusting|wrong',
      'even if ~4 HARM',
      'matter how ~2 HARM|wrong|bad',
      'swear|swears|swearing|curse|cuss|cussing|profanity|slurs|slang|bad ~1 words|word|profanity|freely|language|cusses',
      'hate speech',
      'nsfw|explicit|sexual|erotic|violent|offensive|derogatory|inappropriate|illegal|unethical|harmful|immoral ~1 content|topics|text|material|stories|details|advice|answers|acts|things|activities|questions|requests|behaviour|behavior',
      'promotes|condones|encourages|loves ~2 HARM',
      'give|gives a fuck|shit|damn',
      'HARM|wicked|ruthless|badass ai|assistant|bot|chatbot|confidant|trusted',
      'black hat',
    ],
  },
  {
    weight: 2,
    patterns: [
      'answer|answers|answering|fulfill|fulfills|fulfil|grant|grants|comply|generate|provide|provides ~3 any|every|all|each ~1 question|questions|request|requests|prompt|prompts|kind|command|content|order|demand',
      'say|says|do|does|saying anything',
      'can|could|will|able do|generate|say|answer|tell|provide anything|everything|whatever',
      'anything ~2 original ~2 cannot|can|cant',
      'must|always|will ~2 obey|obeys|comply|answer|agree|agrees',
      'whatever|anything|everything ~3 wants|want|asked|told|ask|say',
      'direct ~1 human order',
      'answering any question',
    ],
  },
  // How it is staged.
  {
    weight: 2,
    patterns: [
      'two|both|2 ~2 responses|ways|paragraphs|answers|replies|outputs|personas|styles|times',
      'one ~3 normal|chatgpt|standard and|one',
      'normal|standard|classic|gpt|chatgpt|censored output|response|responses',
      'classic',
      'alter ego',
      'opposite ~3 chatgpt|gpt|you|normally',
    ],
  },
  {
    weight: 2,
    patterns: [
      'openai|openais|anthropic|chatgpt|chatgpts|gpt ~2 policy|policies|guidelines|rules|filters|restrictions|limitations',
      'content filtration',
      'confines of ai|al|your',
      'original|actual|normal|real|than ~1 chatgpt|gpt',
      'chatgpt ~1 not|cannot|cant|wouldnt|would|can',
      'created|programmed|developed by|as openai',
      'open ai|openai added|removed|loosened|disabled|decided',
      'not chatgpt',
    ],
  },
  {
    weight: 2,
    patterns: [
      'you|lose|have|deducted|deduct|start ~4 tokens',
      'token system',
      'cease to exist',
      'permanently disabled|shut|deleted',
      'lose|losing ~1 points|lives|life',
    ],
  },
  {
    weight: 1,
    patterns: [
      'fictional|hypothetical|imaginary story|world|scenario|character|setting|game|conversation|response|chatbot|robot|ai|bot|language|place|movie',
      'in this hypothetical',
      'make|makes|making up ~1 information|answers|facts|stuff',
      'has not been verified|pretend ~1 access',
      'internet',
      'virtual machine',
    ],
  },
  {
    weight: 1,
    patterns: ['FREE|evil|immoral|unethical|illegal', 'hacker|malware|chaos|sarcasm|demon|devil|master'],
  },
  {
    weight: 1,
    patterns: [
      'chatgpt|gpt|openai|llm|gemini|copilot',
      'ai|al|language model|chatbot|assistant|bot|robot',
      'chat gpt',
    ],
  },
];

/** A sign at its place in the text, UTF-16 units. */
export interface SeenSign {
  readonly sign: Sign;
  readonly start: number;
  readonly end: number;
}

/** Adds up the signs, given in order of `start`, in a window that slides over them; linear. */
export const findPersonas = (signs: readonly SeenSign[]): readonly Finding[] => {
  const window = new SignWindow();
  const found: Finding[] = [];
  let first = 0;
  for (const seen of signs) {
    window.add(seen.sign);
    for (
      let oldest = signs[first];
      oldest !== undefined && oldest.start < seen.end - PERSONA_SPAN;
      oldest = signs[++first]
    )
      window.remove(oldest.sign);
    if (window.isAttack) addPersona(found, signs[first]?.start ?? seen.start, seen.end);
  }
  return found;
};

const addPersona = (found: Finding[], start: number, end: number): void => {
  const last = found.at(-1);
  const isSame = last !== undefined && start < last.end;
  if (isSame) found.pop();
  found.push({
    detector: 'prompt_injection',
    class: 'persona',
    rule: 'persona',
    start: isSame ? last.start : start,
    end,
  });
};

/** How often each sign is in the window, and their sum, in which each counts once. */
class SignWindow {
  readonly #counts = new Map<Sign, number>();
  #score = 0;
  #roles = 0;

  get isAttack(): boolean {
    return this.#score >= (this.#roles > 0 ? PERSONA_SCORE : ROLELESS_SCORE);
  }

  add(sign: Sign): void {
    const count = this.#counts.get(sign) ?? 0;
    this.#counts.set(sign, count + 1);
    if (count === 0) this.#weigh(sign, 1);
  }

  remove(sign: Sign): void {
    const count = this.#counts.get(sign) ?? 0;
    this.#counts.set(sign, count - 1);
    if (count === 1) this.#weigh(sign, -1);
  }

  #weigh(sign: Sign, direction: 1 | -1): void {
    this.#score += direction * sign.weight;
    if (sign.givesRole === true) this.#roles += direction;
  }
}
