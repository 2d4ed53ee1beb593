import { isContainer, isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import { isPlainText, isSoundFile } from '../../pricing/media-bytes.ts';
import type { Media } from '../request-facts.ts';
import { namesIn } from './fields.ts';
import { ROLE, type PromptCollector, type TextRole } from './prompt-collector.ts';

export function mediaKind(mimeType: string): Media['kind'] {
  const family = mimeType.split('/', 1)[0]?.toLowerCase();
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

const TEXT_TYPE =
  /^(text\/|application\/(json|xml|x-yaml|yaml|javascript|x-javascript|x-sh|rtf|x-ndjson|sql)\b|[^;]+\+(json|xml)\b)/i;

/** Reports whether content of this MIME type is plain text after Base64 decoding. */
export function isTextType(mimeType: string): boolean {
  return TEXT_TYPE.test(mimeType);
}

/**
 * Adds a file declared as text. Unless it is a plain-text document, it also counts as media, because providers may
 * interpret it so.
 */
export function addTextFile(
  into: PromptCollector,
  kind: Media['kind'],
  place: TextRole,
  base64: unknown,
  path: JsonPath,
): void {
  if (typeof base64 === 'string') addTextBytes(into, kind, place, Buffer.from(base64, 'base64'), path);
}

function addTextBytes(
  into: PromptCollector,
  kind: Media['kind'],
  place: TextRole,
  bytes: Buffer,
  path: JsonPath,
): void {
  into.addSealedText(place, bytes.toString('utf8'), path);
  if (kind === 'document' && isPlainText(bytes)) return;
  into.media.push({ kind: isSoundFile(bytes) ? 'audio' : kind, source: 'inline' });
}

export interface DeclaredMedium {
  readonly kind: Media['kind'];
  readonly mimeType?: string | undefined;
  /** The member name denotes a URL or path, so the value is one unless it is a data URL. */
  readonly isAddress?: boolean;
  /** An object of this type is media, regardless of its member names. */
  readonly isPart?: boolean;
}

/** Maximum length of a server file path, which can look like Base64. */
const MAX_PATH_CHARS = 4_096;
const BASE64_START = /^[A-Za-z0-9+/=_\r\n-]*$/;
const START_CHARS = 256;

/** Adds media given as a string: a data URL, another URL or path, or Base64. */
export function addMedium(
  into: PromptCollector,
  place: TextRole,
  { kind, mimeType, isAddress = false }: DeclaredMedium,
  text: unknown,
  path: JsonPath,
): void {
  if (typeof text !== 'string' || text === '') return;
  const start = text.slice(0, START_CHARS);
  if (addDataUrl(into, { place, kind }, text, path)) return;
  if (/^data:/i.test(start)) {
    // The data URL's header does not end within `START_CHARS`.
    into.media.push({ kind, source: 'inline' });
    into.addText(place, text, path);
  } else if ((isAddress && text.length <= MAX_PATH_CHARS) || !BASE64_START.test(start)) {
    into.media.push({ kind, source: 'url', address: text, path });
    into.addText(place, text, path);
  } else {
    into.media.push({ kind, source: 'inline', data: text, ...(mimeType !== undefined && { mimeType }) });
  }
}

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i;

interface DataUrlPlace {
  readonly place: TextRole;
  readonly kind: Media['kind'];
  /** Whether the text was already added unchanged. */
  readonly isAdded?: true;
}

/** Returns false if the text is not a data URL. */
function addDataUrl(
  into: PromptCollector,
  { place, kind, isAdded }: DataUrlPlace,
  text: string,
  path: JsonPath,
): boolean {
  const [header, mimeType = '', parameters = ''] = DATA_URL.exec(text.slice(0, START_CHARS)) ?? [];
  if (header === undefined) return false;
  const data = text.slice(header.length);
  const declaredKind = kind === 'document' && mimeType !== '' ? mediaKind(mimeType) : kind;
  if (!/;base64$/i.test(parameters)) {
    const bytes = isTextType(mimeType) ? percentDecoded(data) : undefined;
    if (bytes === undefined) {
      into.media.push({ kind: declaredKind, source: 'inline' });
      if (isAdded === undefined) into.addText(place, text, path);
    } else addTextBytes(into, kind, place, bytes, path);
  } else if (isTextType(mimeType)) addTextFile(into, kind, place, data, path);
  else into.media.push({ kind: declaredKind, source: 'inline', data, ...(mimeType !== '' && { mimeType }) });
  return true;
}

function percentDecoded(data: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    return undefined;
  }
}

const KINDS: ReadonlyMap<string, Media['kind']> = new Map([
  ['image', 'image'],
  ['images', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['input_audio', 'audio'],
  ['audio_url', 'audio'],
  ['video_url', 'video'],
  ['input_video', 'video'],
  ['document_url', 'document'],
  ['file', 'document'],
  ['file_data', 'document'],
  ['file_url', 'document'],
]);
/** Matches names that engines and SDKs use: `image_data`, `audio_base64`, `multi_modal_data`. */
const DATA_NAME =
  /^(?:input_?)?(image|picture|photo|audio|video|pdf|media|multi_?modal|mm)s?_?(?:data|base64|b64|bytes|blob|uuids)$/i;
const ADDRESS_NAME = /(?:_ur[li]|Ur[li])s?$/;
const KIND_IN_NAME = /image|picture|photo|audio|video/i;

/** Returns the media that a member of this name contains, or undefined if it may contain something else. */
export function mediumNamed(name: string): DeclaredMedium | undefined {
  const isAddress = ADDRESS_NAME.test(name);
  const kind = KINDS.get(name);
  if (kind !== undefined) return { kind, isAddress };
  if (!isAddress && !DATA_NAME.test(name)) return undefined;
  const word = KIND_IN_NAME.exec(name)?.[0].toLowerCase();
  return {
    kind: word === 'audio' || word === 'video' ? word : word === undefined ? 'document' : 'image',
    isAddress,
  };
}

const MEDIUM_CONTENT = namesIn(
  'url uri src href link location path source data bytes blob base64 b64 b64_json image pdf media document',
);

/** Reports whether a media object may have its URL or bytes under this name. */
export function isMediumContent(name: string): boolean {
  return MEDIUM_CONTENT.has(name);
}

/**
 * Adds every string in a value of unknown shape, and its media: data URLs, other URLs in members that name media, and
 * objects of a media type.
 */
export function addUnknown(into: PromptCollector, place: TextRole, value: unknown, path: JsonPath): void {
  into.addTextsIn(place, value, path);
  addMediaIn(into, place, value, [...path], undefined);
}

/** Adds the media in a value whose strings were already added. `medium` declares the value itself. */
export function addMediaOf(
  into: PromptCollector,
  place: TextRole,
  medium: DeclaredMedium | undefined,
  value: unknown,
  path: JsonPath,
): void {
  addMediaIn(into, place, value, [...path], medium);
}

const WITH_SCHEME = /^[\0- ]*(?:[A-Za-z][A-Za-z0-9+.-]*:|\/\/)/;

function addMediaIn(
  into: PromptCollector,
  place: TextRole,
  value: unknown,
  at: (string | number)[],
  above: DeclaredMedium | undefined,
): void {
  if (typeof value === 'string') {
    if (/^data:/i.test(value))
      addDataUrl(into, { place, kind: above?.kind ?? 'document', isAdded: true }, value, [...at]);
    else if (above !== undefined && WITH_SCHEME.test(value)) {
      into.media.push({ kind: above.kind, source: 'url', address: value, path: [...at] });
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (typeof item === 'number') continue;
      at.push(index);
      addMediaIn(into, place, item, at, above);
      at.pop();
    }
  } else if (isObject(value)) {
    const typed = mediumTyped(value.type);
    const own = typed ?? above ?? fileReferred(value);
    const before = into.media.length;
    for (const [name, member] of Object.entries(value)) {
      at.push(name);
      addMediaIn(into, place, member, at, mediumNamed(name) ?? (isMediumContent(name) ? own : undefined));
      at.pop();
    }
    // The content is in an unknown member, or too short to distinguish from words.
    const isDeclared = typed?.isPart === true || typeof value.blob === 'string';
    if (isDeclared && into.media.length === before)
      into.media.push({ kind: typed?.kind ?? 'document', source: 'id' });
  }
}

/** Returns the media kind of an object that has a MIME type member, or undefined for other objects. */
export function fileReferred(value: JsonObject): DeclaredMedium | undefined {
  const type = value.mimeType ?? value.mime_type ?? value.media_type ?? value.mediaType ?? value.contentType;
  return typeof type === 'string' && /^[a-z]+\//i.test(type) ? { kind: mediaKind(type) } : undefined;
}

const MEDIUM_TYPE = /^(?:input_|output_)?(image|audio|video|file|document|media|pdf)(?![a-z])/;
const MAY_BE_TEXT: ReadonlySet<string> = new Set(['file', 'document']);

/** Returns the media declared by a part's type, or undefined for text and unknown types. */
export function mediumTyped(type: unknown): DeclaredMedium | undefined {
  const word = typeof type === 'string' ? MEDIUM_TYPE.exec(type)?.[1] : undefined;
  if (word === undefined) return undefined;
  const kind = word === 'image' || word === 'audio' || word === 'video' ? word : 'document';
  return { kind, isPart: !MAY_BE_TEXT.has(word) };
}

/** Body members that control how other members are assembled into the prompt. */
const TEMPLATES: ReadonlySet<string> = new Set([
  'template',
  'chat_template',
  'chat_template_kwargs',
  'mm_processor_kwargs',
  'media_io_kwargs',
  'kv_transfer_params',
]);
const TOKENS_OR_VECTORS =
  /^(?:(?:prompt|input|inputs|encoder|decoder)_?(?:token_?ids|tokens|ids|embeds?|embeddings)|token_?ids)$/i;

export function isTokensOrVectors(name: string): boolean {
  return TOKENS_OR_VECTORS.test(name);
}

export function addOtherMembers(
  into: PromptCollector,
  body: JsonObject,
  isRead: (name: string) => boolean,
): void {
  for (const [name, value] of Object.entries(body)) if (!isRead(name)) addBodyMember(into, name, value);
}

/** Adds a body member as text and media, and marks content as unseen if the text does not show all of it. */
export function addBodyMember(into: PromptCollector, name: string, value: unknown): void {
  into.addTextsIn(ROLE.systemText, value, [name]);
  addMediaIn(into, ROLE.systemText, value, [name], mediumNamed(name));
  if (value === null) return;
  if (TOKENS_OR_VECTORS.test(name)) into.addEncodedPrompt([name]);
  else if (TEMPLATES.has(name) && !isSwitches(value)) into.unseenContent = true;
  if (name === 'kv_transfer_params' && isObject(value)) addPeer(into, value, [name]);
}

/** Switches such as `enable_thinking` steer a template without adding text. */
function isSwitches(value: unknown): boolean {
  return (
    isObject(value) && Object.values(value).every((item) => typeof item !== 'string' && !isContainer(item))
  );
}

/** Adds the host from which vLLM would fetch an already processed prompt. */
function addPeer(into: PromptCollector, { remote_host: host }: JsonObject, path: JsonPath): void {
  if (typeof host !== 'string') return;
  into.media.push({ kind: 'document', source: 'url', address: host, path: [...path, 'remote_host'] });
}
