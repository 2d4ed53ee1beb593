import { chatBody, requestBytes, type Target } from '../support/load.ts';

/** The vocabulary of prompts; no check finds any of these words. */
const VOCABULARY =
  `the of and to in is that it was for on are as with they be at one have this from by hot but some what
there we can out other were all your when up use word how said an each she which do their time if will way about many then
them would write like so these her long make thing see him two has look more day could go come did my sound no most number
who over know water than call first people may down side been now find any new work part take get place made live where
after back little only round man year came show every good me give our under name very through just form much great think
say help low line before turn cause same mean differ move right boy old too does tell sentence set three want air well also
play small end put home read hand port large spell add even land here must big high such follow act why ask men change went
light kind off need house picture try us again animal point mother world near build self earth father head stand own page
should country found answer school grow study still learn plant cover food sun four thought let keep eye never last door
between city tree cross since hard start might story saw far sea draw left late run while press close night real life few
stop open seem together next white children begin got walk example ease paper often always music those both mark book
letter until mile river car feet care second group carry took rain eat room friend began idea fish mountain north once base
hear horse cut sure watch color face wood main enough plain girl usual young ready above ever red list though feel talk bird
soon body dog family direct pose leave song measure state product black short numeral class wind question happen complete
ship area half rock order fire south problem piece told knew pass farm top whole king size heard best hour better true
during hundred remember step early hold west ground interest reach fast five sing listen six table travel less morning ten
simple several vowel toward war lay against pattern slow center love person money serve appear road map science rule govern
pull cold notice voice fall power town fine certain fly unit lead cry dark machine note wait plan figure star box noun field
rest correct able pound done beauty drive stood contain front teach week final gave green oh quick develop sleep warm free
minute strong special mind behind clear tail produce fact street inch lot nothing course stay wheel full force blue object
decide surface deep moon island foot yet busy test record boat common gold possible plane age dry wonder laugh thousand ago
ran check game shape yes cool miss brought heat snow bed bring sit perhaps fill east weight language among`.split(
    /\s+/,
  );

/** Every prompt is cut from a text of this many bytes. A prompt of 1 MB can begin at thousands of places. */
const POOL_BYTES = 6 << 20;
/** Maximum number of words in a sentence, and of sentences in a paragraph. */
const SENTENCE_WORDS = 18;
const PARAGRAPH_SENTENCES = 6;

/** Generates prose from a seed, the same for every rig and every run. */
export function createProse(seed: number): (bytes: number) => string {
  const random = createLongRandom(seed);
  return (bytes) => {
    if (bytes > POOL_BYTES) throw new Error(`prompts are at most ${String(POOL_BYTES)} bytes`);
    const start = Math.floor(random() * (POOL_BYTES - bytes));
    return pool().slice(start, start + bytes);
  };
}

let made: string | undefined;

function pool(): string {
  made ??= prose(POOL_BYTES, createLongRandom(1));
  return made;
}

function prose(bytes: number, random: () => number): string {
  const paragraphs: string[] = [];
  for (let length = 0; length < bytes;) {
    const sentences = Array.from({ length: 1 + Math.floor(random() * PARAGRAPH_SENTENCES) }, () =>
      sentence(random),
    );
    const paragraph = `${sentences.join(' ')}\n\n`;
    paragraphs.push(paragraph);
    length += paragraph.length;
  }
  return paragraphs.join('').slice(0, bytes);
}

function sentence(random: () => number): string {
  const words = Array.from({ length: 4 + Math.floor(random() * (SENTENCE_WORDS - 4)) }, () => word(random));
  const [first = '', ...rest] = words;
  return `${first.slice(0, 1).toUpperCase()}${first.slice(1)} ${rest.join(' ')}${random() < 0.9 ? '.' : '?'}`;
}

/** One in thirty is a number, one in twelve ends a clause. */
function word(random: () => number): string {
  if (random() < 1 / 30) return String(Math.floor(random() * 1_000));
  const plain = VOCABULARY[Math.floor(random() * VOCABULARY.length)] ?? '';
  return random() < 1 / 12 ? `${plain},` : plain;
}

/** Numbers in [0, 1), the same for one seed, without repeats within a pool (xorshift). */
function createLongRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Simultaneous sessions, more than connections: no two requests of one session run at the same time. */
const SESSIONS = 128;
/** Requests of one session. */
const TURNS = 8;

/** How requests differ from plain ones. */
export interface PromptOptions {
  /** They are turns of sessions, and no two simultaneous ones belong to the same. */
  readonly inSessions?: boolean;
  readonly stream?: boolean;
}

/** Requests to a target, each with a new prompt of this many bytes. */
export function newPrompts(target: Target, bytes: number, options: PromptOptions = {}): () => Buffer {
  const next = createProse(bytes);
  let n = 0;
  return () => {
    const session = options.inSessions === true ? sessionHeader(sessionOf(n, bytes)) : {};
    n += 1;
    const headers = { ...target.headers, ...session };
    return requestBytes({ ...target, headers }, chatBody(options.stream === true, next(bytes)));
  };
}

export function sessionHeader(session: string): Readonly<Record<string, string>> {
  return { 'x-gateway-session-id': session };
}

function sessionOf(n: number, bytes: number): string {
  const parts = [process.pid, bytes, Math.floor(n / TURNS / SESSIONS), n % SESSIONS];
  return `bench-${parts.join('-')}`;
}
