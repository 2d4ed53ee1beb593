/** The default of `server.max_payload_bytes`. */
const MAX_BYTES = 2_097_152;
/** The most of each that the bound on a document's work permits (src/json/strict-parse.ts). */
const MANY_NUMBERS = 390_000;
const MANY_MESSAGES = 15_000;
const MANY_PARTS = 13_000;
const MANY_MEMBERS = 16_000;
const MANY_TOOLS = 2_800;

/** One body meant to block a reader, with the gateway's expected answer. */
export interface HostileBody {
  readonly name: string;
  readonly path: string;
  readonly body: Buffer;
  readonly status: number;
}

const CHAT = '/openai/v1/chat/completions';

function chat(name: string, members: string, status = 200): HostileBody {
  const body = Buffer.from(`{"model":"gpt-4o-mini","max_tokens":10,${members}}`);
  if (body.length > MAX_BYTES) throw new Error(`${name}: ${String(body.length)} bytes`);
  return { name, path: CHAT, body, status };
}

function user(content: string): string {
  return `"messages":[{"role":"user","content":"${content}"}]`;
}

function filled(piece: string, bytes = MAX_BYTES - 200): string {
  return piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
}

function many(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(',');
}

const HELLO = '"messages":[{"role":"user","content":"hello"}]';

/** Bodies up to the largest that is accepted, each the worst of its kind. */
export function hostileBodies(): HostileBody[] {
  const numbers = many(MANY_NUMBERS, (index) => String(index % 9));
  const deep = `${'['.repeat(60)}1${']'.repeat(60)}`;
  return [
    chat('one long string of words', user(filled('the quick brown fox '))),
    chat('one long string without a blank', user(filled('a'))),
    chat('one long string of emoji', user(filled('🙂'))),
    chat('one long string of short escapes', user(filled('\\n'))),
    chat('one long string of unicode escapes', user(filled('\\u00e9'))),
    chat('one long string of quotes and backslashes', user(filled('\\"\\\\'))),
    chat('49,000 messages', `"messages":[${many(49_000, () => '{"role":"user","content":"a"}')}]`, 400),
    chat('many messages', `"messages":[${many(MANY_MESSAGES, () => '{"role":"user","content":"a"}')}]`),
    chat(
      'many messages of 130 bytes',
      `"messages":[${many(MANY_MESSAGES, () => `{"role":"user","content":"${'b c '.repeat(25)}"}`)}]`,
    ),
    chat(
      'many parts of a message',
      `"messages":[{"role":"user","content":[${many(MANY_PARTS, () => '{"type":"text","text":"a"}')}]}]`,
    ),
    chat(
      'many tools',
      `${HELLO},"tools":[${many(
        MANY_TOOLS,
        (index) =>
          `{"type":"function","function":{"name":"tool_${String(index)}","description":"${'d'.repeat(500)}",` +
          '"parameters":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}',
      )}]`,
    ),
    chat(
      'many tool calls with JSON in their arguments',
      `"messages":[{"role":"assistant","tool_calls":[${many(
        6_000,
        (index) =>
          `{"id":"c${String(index)}","type":"function","function":{"name":"f","arguments":"{\\"a\\":[${'1,'.repeat(100)}1]}"}}`,
      )}]}]`,
    ),
    chat('many hosted tools', `${HELLO},"tools":[${many(16_000, () => '{"type":"web_search"}')}]`, 400),
    chat('many numbers', `${HELLO},"x":[${numbers}]`),
    chat('many long numbers', `${HELLO},"x":[${many(100_000, () => '1.2345678901234567')}]`),
    chat(
      'many members of one object',
      `${HELLO},"x":{${many(MANY_MEMBERS, (index) => `"member_${String(index)}":1`)}}`,
    ),
    chat('many objects with the same members', `${HELLO},"x":[${many(11_000, () => '{"a":1,"b":2,"c":3}')}]`),
    chat('deep nesting, many times', `${HELLO},"x":[${many(800, () => deep)}]`),
    chat('nesting too deep, at once', `${HELLO},"x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, 400),
    chat('blanks', `${HELLO},${filled(' ')}"x":1`),
    chat('an unfinished string', `${HELLO},"x":"${filled('\\\\')}`, 400),
    chat(
      'an image in base64',
      `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${filled('iVBORw0K')}"}}]}]`,
    ),
    {
      name: 'many token ids to embed',
      path: '/openai/v1/embeddings',
      body: Buffer.from(`{"model":"text-embedding-3-small","input":[${numbers}]}`),
      status: 200,
    },
  ];
}
