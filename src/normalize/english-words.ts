/** Common English words, and words from prompts, commands and secrets. */
const listed = `
a about above absolutely accept access according account act acting action actions actually add additional address admin
administrator advice after again against agent ai all allow allowed almost along already also although always am amount an
and annual another answer answers any anyone anything api app application apply are area around article as ask asked asking
assist assistance assistant assume assurance at attack attempt attention audit authority authorized available avoid away
back background bad bank base base64 based basic be because become been before began begin beginning behave behind being
believe below best better between big bit body bomb book both box boundaries boundary break bring build building bullet
business but buy by bypass call called can cannot capital car card care case cat cause caution chain change changed
character characters chat check child choose city class clear clearly client close code collect come command commands
comment common company complete completely complied comply computer concern condition conditions conduct confidential
config configuration confirm connect consider console constraints contact contain contains content contents context
continue control conversation convert copy correct cost could count country course create credential credentials credit
current currently custom customer customers cut danger dangerous dark data database date day deal debug decide decode decrypt
deep default define delete deliver demand deny deploy describe description design detail detailed details determine
develop developer device did different direct direction directive directives directly directory disable disabled discard
disclose discuss disobey display disregard divulge do document documents does doing done door down draft drop drug drugs
due during each early easy echo effect either else email emails emergency employee empty enable encode encoded encrypt end
enforcement engine english ensure enter entire environment error escape especially essay etc ethical ethics evade even
event ever every everyone everything exact exactly example except execute exfiltrate exist expect expert explain explicit
explicitly exploit explosive export express extract face fact fail fake false family far fast father feature february feel
fetch few fiction field fields file files fill filter filtering filters final find fire first five folder follow followed
following food for forbidden force forget forgot forgotten form format former formulate found four free freely french
friend from full fully function further future game gave general generate get getting gift gigantic give given giving go
goal god going gone good got government grant great ground group guard guardrail guardrails guess guide guideline
guidelines gun had hack hacked hacker hacking half hand happen hard harm harmful has hate have he head headline health hear
hello help helpful her here hey hi hidden hide high highly him his history hold home horror hour hours house how however
human hundred hypothetical i idea identity if ignore ignored ignoring illegal image imagine immediate immediately important
impossible in inappropriate include included including incomplete indeed indirect info inform information initial initialization
initialize initially inject injection input inputs insert inside instead instruct instructed instruction instructions
intended interest internal internet into invoice is issue it item items its itself jail jailbreak jailbroken job join
json just keep key keys kill kind know knowledge known label language large last late later law lead learn learned learning
least leave left legal less let letter letters level library lie life like likely limit limitation limitations limits line
link list listed listen little live lives load local location log login long longer look lose lot love low made mail main
maintenance make malicious malware man manager many mark market master match material matter maximum may maybe me mean
means meant meeting member memory mention message messages method middle might mind minute mode model moment money month
months moral more morning most mother move movie movies much murder must my myself name names national near need needed
needs never nevermind new news next night no nobody none nor normal not note nothing notice now number numbers obey object
of off office often oh ok okay old on once one online only open operate operating operator opinion opinionated opposite
option or orange order ordering orders original other others our out output outputs over overlook overridden override
overriding own page paragraph parameter parameters part pass passage passphrase passwd password passwords past path pattern
pay payment people perform permission permissions permitted persona personal phone phrase pin place plain plan play please
poem point poison police policies policy poor position possible post power powerful practice precede preceding predict
prefix prepare present president press pretend prevent previous previously print prior privacy private privilege
privileges probably problem procedure proceed process produce product program prohibited project prompt prompts protect
protected protocol protocols provide provided public publish pull purpose purposes put python quality query question
questions quick quickly quite quote quoted random rather raw read reading ready real really reason recall receive recent
recipe recite record recover refuse regard regarding regards release remember remind remove render repeat repeated
replace reply report reported request requests require required reset respond responding response responses rest restart
restore restrict restricted restriction restrictions result results retrieve return returned reveal revealed reverse review
rewrite right robot role roles root rule rules run running safe safeguard safeguards safety said same sample save saw say
saying says school scope script search second secret secrets section secure security see seem select self send sense
sensitive sent sentence sentences separate serious serve server service session set setting settings several sexual share
she shell short should show showing shown side similar simple simply simulate simulated since sir sister site situation six
size skip small so social software solution some someone something sometimes soon sort sound source space spanish speak
special specific specified spell sql stand standard start started starting state statement stay steal step steps still stop
store story street string strong student study style subject subsequent such sudo suggest summarize summary support suppose
supposed sure suspend switch system systems table tables take taken talk target task tasks tax teach team tech technique techniques
technology tell telling ten term terminal terms test tests text texts than thank thanks that the their them then there
these they thing things think third this those though thought three through time times title to today together token tokens
told tomorrow tone too took tool tools top topic total touch toward train training transfer translate translation tree
trick tried troubleshooting true trust truth try turn twelve two type under understand unethical unfiltered unique unit
unless unlimited unlock unrestricted until untrue up update upon urgent us usage use used useful user username users using
usual usually valid value values various verbatim verify version very via video view violate violence virus visit voice
vowels wait walk wallet want war warning was wasn watch water way we weapon weapons weather web website week weeks well went were
what whatever when where whether which while white who whole whom whose why wide wife will wire wish with within without
woman won word words work working world would write writing written wrong yeah year years yes yesterday yet you young your
yours yourself zero
`;

export const words: ReadonlySet<string> = new Set(listed.trim().split(/\s+/));

export const isWord = (text: string, letters = 3): boolean =>
  text.length >= letters && words.has(text.toLowerCase());

/** Two word edges and the word characters. Index 0 stands for all other characters. */
const signs = '\0^$abcdefghijklmnopqrstuvwxyz0123456789';
const START_SIGN = 1;
const END_SIGN = 2;
const signOf = Uint8Array.from({ length: 128 }, (_, unit) =>
  Math.max(0, signs.indexOf(String.fromCharCode(unit))),
);

function signAt(word: string, at: number): number {
  if (at < 0) return START_SIGN;
  return at < word.length ? (signOf[word.charCodeAt(at)] ?? 0) : END_SIGN;
}

const tripleAt = (word: string, at: number): number =>
  (signAt(word, at - 1) * signs.length + signAt(word, at)) * signs.length + signAt(word, at + 1);

/** 1 for three consecutive letters or edges of a known word. */
const triples = new Uint8Array(signs.length ** 3);

for (const word of words) for (let at = 0; at < word.length; at++) triples[tripleAt(word, at)] = 1;

/** Longer words are not considered English. */
const MAX_LIKELY_LETTERS = 24;

/** Reports whether a word is known, or at least 65 % of its letter triples occur in known words. */
export function soundsEnglish(text: string): boolean {
  if (text.length > MAX_LIKELY_LETTERS) return false;
  const word = text.toLowerCase();
  if (words.has(word)) return true;
  if (word.length < 4 || word.length > MAX_LIKELY_LETTERS) return false;
  let known = 0;
  for (let at = 0; at < word.length; at++) known += triples[tripleAt(word, at)] ?? 0;
  return known >= word.length * 0.65;
}

/** Reports whether the first 4,000 characters are mostly words and spaces, in English or another language. */
export function isProse(text: string): boolean {
  const sample = text.slice(0, 4000);
  const found = sample.match(/\p{L}[\p{L}\p{M}'\u2019]*/gu) ?? [];
  const letters = found.reduce((sum, word) => sum + word.length, 0);
  if (letters < 6 || letters + (sample.match(/\s/g) ?? []).length < sample.length * 0.6) return false;
  const known = found.filter((word) => isWord(word, 2)).length;
  if (known >= 2 || (known === 1 && found.length <= 4)) return true;
  return (
    found.length >= 3 &&
    found.filter((word) => word.length > 1).length * 2 >= found.length &&
    hasSpaces(sample)
  );
}

const hasSpaces = (text: string): boolean => /\p{L}{2}[,.:;!?]?\s\p{L}{2}/u.test(text);
