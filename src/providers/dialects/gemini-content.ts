import { GatewayError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import { namesIn, objectOf, requiredObject } from './fields.ts';
import { addTextFile, addUnknown, isTextType, mediaKind } from './media.ts';
import { type PromptCollector, ROLE } from './prompt-collector.ts';
import type { PromptText } from '../request-facts.ts';

type Role = PromptText['role'];

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['model', 'assistant'],
  ['function', 'tool'],
  ['tool', 'tool'],
  ['system', 'system'],
]);

export function readGeminiContents(into: PromptCollector, found: Member | undefined, path: JsonPath): void {
  for (const item of listAt(found, path)) readGeminiContent(into, 'user', item.value, item.path);
}

/** Reads a Content or a bare string. A Content's role takes precedence over `role`, unless `role` is `system`. */
export function readGeminiContent(into: PromptCollector, role: Role, value: unknown, path: JsonPath): void {
  if (typeof value === 'string') {
    into.addText({ role, kind: 'text' }, value, path);
    return;
  }
  const content = requiredObject(value, 'content');
  const own = ROLES.get(content.role);
  const speaker = role === 'system' ? role : (own ?? role);
  for (const part of listAt(member(content, 'parts'), path)) {
    if (typeof part.value === 'string') into.addText({ role: speaker, kind: 'text' }, part.value, part.path);
    else readPart(into, speaker, requiredObject(part.value, 'parts'), part.path);
  }
}

/** Part members that are read separately, or contain no text or media. */
const SILENT = namesIn('text thought thoughtSignature videoMetadata mediaResolution');

function readPart(into: PromptCollector, role: Role, part: JsonObject, path: JsonPath): void {
  const kind = part.thought === true ? 'reasoning' : role === 'tool' ? 'tool_result' : 'text';
  into.addText({ role, kind }, part.text, [...path, 'text']);
  const signature = member(part, 'thoughtSignature');
  // Gemini bills the thoughts behind a signature as input again.
  if (signature) into.addSealedText({ role, kind: 'reasoning' }, signature.value, [...path, signature.name]);
  // Video costs more at a higher frame rate, which its size does not reveal.
  const fps = objectOf(member(part, 'videoMetadata')?.value).fps;
  if (fps !== undefined && fps !== null && fps !== 1) into.media.push({ kind: 'video', source: 'id' });
  for (const name of Object.keys(part)) {
    const camel = camelName(name);
    if (!SILENT.has(camel)) readPayload(into, role, camel, part[name], [...path, name]);
  }
}

/** @param name in camel case */
function readPayload(into: PromptCollector, role: Role, name: string, value: unknown, path: JsonPath): void {
  switch (name) {
    case 'inlineData':
      readInline(into, role, objectOf(value), path);
      break;
    case 'fileData':
      readFile(into, role, objectOf(value), path);
      break;
    case 'functionCall':
    case 'toolCall':
    case 'executableCode':
      into.addTextsIn(ROLE.toolArguments, value, path);
      break;
    case 'functionResponse':
      readFunctionResponse(into, value, path);
      break;
    case 'toolResponse':
    case 'codeExecutionResult':
      addUnknown(into, ROLE.toolResult, value, path);
      break;
    default:
      addUnknown(into, { role, kind: 'text' }, value, path);
  }
}

function readFunctionResponse(into: PromptCollector, value: unknown, path: JsonPath): void {
  if (!isObject(value)) return;
  const { parts, ...rest } = value;
  addUnknown(into, ROLE.toolResult, rest, path);
  if (parts === undefined || parts === null) return;
  for (const part of listAt({ name: 'parts', value: parts }, path)) {
    readPart(into, 'tool', requiredObject(part.value, 'functionResponse.parts'), part.path);
  }
}

function readInline(into: PromptCollector, role: Role, blob: JsonObject, path: JsonPath): void {
  const mimeType = mimeTypeOf(blob);
  const { data } = blob;
  const kind = role === 'tool' ? 'tool_result' : 'text';
  if (isTextType(mimeType)) {
    addTextFile(into, mediaKind(mimeType), { role, kind }, data, [...path, 'data']);
  } else {
    into.media.push({
      kind: mediaKind(mimeType),
      source: 'inline',
      ...(typeof data === 'string' ? { data } : {}),
      ...(mimeType === '' ? {} : { mimeType }),
    });
  }
  const displayName = member(blob, 'displayName');
  if (displayName) into.addText({ role, kind }, displayName.value, [...path, displayName.name]);
}

/** Matches URIs of stored files: file names, URLs that Google's API returns, and Cloud Storage URIs. */
const STORED =
  /^(?:files\/[\w-]+|gs:\/\/.*|https:\/\/generativelanguage\.googleapis\.com\/v1(?:beta|alpha)?\/files\/[\w-]+)$/s;

/** Reads a reference to a stored or remote file, whose content is not visible. */
function readFile(into: PromptCollector, role: Role, file: JsonObject, path: JsonPath): void {
  const mimeType = mimeTypeOf(file);
  const uri = member(file, 'fileUri');
  into.unseenContent = true;
  const declared = {
    // A file without a type counts as video, the most expensive kind.
    kind: mimeType === '' ? 'video' : mediaKind(mimeType),
    ...(mimeType === '' ? {} : { mimeType }),
  };
  const address = uri?.value;
  if (uri === undefined || typeof address !== 'string' || STORED.test(address)) {
    into.media.push({ ...declared, source: 'id' });
  } else into.media.push({ ...declared, source: 'url', address, path: [...path, uri.name] });
  if (uri) into.addText({ role, kind: 'text' }, uri.value, [...path, uri.name]);
}

function mimeTypeOf(object: JsonObject): string {
  const found = member(object, 'mimeType')?.value;
  return typeof found === 'string' ? found : '';
}

/** A member in the client's spelling. Google accepts both `systemInstruction` and `system_instruction`. */
export interface Member {
  readonly name: string;
  readonly value: unknown;
}

const snakeNames = new Map<string, string>();

/** `maxOutputTokens` -> `max_output_tokens`. Callers pass a closed set of names, which bounds the cache. */
function snakeName(camel: string): string {
  const known = snakeNames.get(camel);
  if (known !== undefined) return known;
  const snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(camel, snake);
  return snake;
}

/** Returns a member in either spelling; null counts as absent. Throws if both are present, as either might apply. */
export function member(object: JsonObject, camel: string): Member | undefined {
  const snake = snakeName(camel);
  const inCamel = object[camel];
  const inSnake = snake === camel ? undefined : object[snake];
  if (inSnake === undefined || inSnake === null) {
    return inCamel === undefined || inCamel === null ? undefined : { name: camel, value: inCamel };
  }
  if (inCamel !== undefined && inCamel !== null) {
    throw new GatewayError(
      'invalid_request',
      `The request has both "${camel}" and "${snake}". Send only one.`,
    );
  }
  return { name: snake, value: inSnake };
}

export function camelName(name: string): string {
  return !name.includes('_')
    ? name
    : name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a member's elements with their paths. As in Google's parsers, a single value is an array of one. */
export function listAt(found: Member | undefined, path: JsonPath): { value: unknown; path: JsonPath }[] {
  if (found === undefined) return [];
  const at = [...path, found.name];
  if (!Array.isArray(found.value)) return [{ value: found.value, path: at }];
  return found.value.map((value: unknown, index) => ({ value, path: [...at, index] }));
}
