import type { JsonPath } from '../../json/path.ts';
import type { Media } from '../provider.ts';
import { isObject } from '../../json/is-object.ts';
import {
  addSealedText,
  addText,
  addTextFile,
  isTextType,
  mediaKind,
  type Gathered,
  type TextRole,
} from './json-text.ts';

/** Members of a content part that say how to read it and are no content themselves. */
const NOT_CONTENT: ReadonlySet<string> = new Set([
  'type',
  'id',
  'role',
  'status',
  'call_id',
  'tool_call_id',
  'detail',
  'format',
  'cache_control',
  'prompt_cache_breakpoint',
]);

/** Members whose value is not text but a medium: a string (URL, data URL, base64) or an object that holds it. */
const MEDIA_MEMBERS: ReadonlyMap<string, Media['kind']> = new Map([
  ['image', 'image'],
  ['images', 'image'],
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['audio_url', 'audio'],
  ['video_url', 'video'],
  ['input_video', 'video'],
  ['document_url', 'document'],
  ['file', 'document'],
  ['file_data', 'document'],
  ['file_url', 'document'],
]);

/** Names that some hosts use for media, and others for words: both count. */
const MEDIA_OR_WORDS: ReadonlyMap<string, Media['kind']> = new Map([
  ['audio', 'audio'],
  ['video', 'video'],
]);

/** Members that nobody may edit: the provider checks them or decrypts them. */
const SEALED: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'fingerprint']);

/**
 * Reads content in any of its forms: a string, a part, or a list of parts. What it does not know by name it
 * reads for every string in it, so that no new kind of part goes by unseen.
 */
export function readParts(into: Gathered, place: TextRole, value: unknown, path: JsonPath): void {
  if (typeof value === 'string') addText(into, place, value, path);
  else if (Array.isArray(value)) {
    value.forEach((part, index) => {
      readParts(into, place, part, [...path, index]);
    });
  } else if (isObject(value)) {
    const kind: Media['kind'] =
      value.type === 'input_image' || value.type === 'computer_screenshot' ? 'image' : 'document';
    for (const [name, member] of Object.entries(value)) {
      readMember(into, place, name, member, [...path, name], kind);
    }
  }
}

function readMember(
  into: Gathered,
  place: TextRole,
  name: string,
  value: unknown,
  path: JsonPath,
  fileKind: Media['kind'],
): void {
  if (NOT_CONTENT.has(name)) return;
  const unread = MEDIA_OR_WORDS.get(name);
  if (unread !== undefined && value !== null) into.media.push({ kind: unread, source: 'url' });
  const kind = MEDIA_MEMBERS.get(name);
  if (kind !== undefined) readMedium(into, place, kind, value, path);
  else if (name === 'file_id') addUnseenFile(into, fileKind, value);
  else if (SEALED.has(name)) addSealedText(into, { ...place, kind: 'reasoning' }, value, path);
  else readParts(into, name === 'thinking' ? { ...place, kind: 'reasoning' } : place, value, path);
}

function readMedium(
  into: Gathered,
  place: TextRole,
  kind: Media['kind'],
  value: unknown,
  path: JsonPath,
  type?: string,
): void {
  if (typeof value === 'string') addMedium(into, place, { kind, type }, value, path);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      readMedium(into, place, kind, item, [...path, index], type);
    });
  } else if (isObject(value)) {
    const { format } = value;
    const said = kind === 'audio' && typeof format === 'string' ? `audio/${format}` : type;
    for (const [name, member] of Object.entries(value)) {
      if (name === 'file_id') addUnseenFile(into, kind, member);
      else if (name === 'url' || name === 'data' || MEDIA_MEMBERS.has(name)) {
        readMedium(into, place, kind, member, [...path, name], said);
      } else if (!NOT_CONTENT.has(name)) readParts(into, place, member, [...path, name]);
    }
  }
}

const DATA_URL = /^data:([^;,]*)(?:;[^,]*)?;base64,/i;
const URL_START = /^[a-z][a-z0-9+.-]*:/i;

/** A medium by the member that it came in, and the type that is said beside it. */
interface Said {
  readonly kind: Media['kind'];
  readonly type: string | undefined;
}

function addMedium(
  into: Gathered,
  place: TextRole,
  { kind, type }: Said,
  text: string,
  path: JsonPath,
): void {
  if (text === '') return;
  const header = DATA_URL.exec(text.slice(0, 256));
  if (header !== null) {
    const mimeType = header[1] ?? '';
    const data = text.slice(header[0].length);
    if (isTextType(mimeType)) return addTextFile(into, kind, place, data, path);
    const inlineKind = kind === 'document' && mimeType !== '' ? mediaKind(mimeType) : kind;
    into.media.push({ kind: inlineKind, source: 'inline', data, ...(mimeType !== '' && { mimeType }) });
  } else if (URL_START.test(text)) {
    // A data URL in another form carries its bytes along, and nobody here reads them.
    const source = /^data:/i.test(text) ? 'inline' : 'url';
    into.media.push({ kind, source });
    addText(into, place, text, path);
  } else {
    into.media.push({ kind, source: 'inline', data: text, ...(type !== undefined && { mimeType: type }) });
  }
}

function addUnseenFile(into: Gathered, kind: Media['kind'], id: unknown): void {
  if (id === undefined || id === null) return;
  into.media.push({ kind, source: 'id' });
  into.unseenContent = true;
}
