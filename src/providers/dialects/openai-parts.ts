import type { JsonPath } from '../../json/path.ts';
import type { Media } from '../request-facts.ts';
import { isObject } from '../../json/is-object.ts';
import type { PromptCollector, TextRole } from './prompt-collector.ts';
import {
  addMedium,
  addMediaOf,
  fileReferred,
  isMediumContent,
  isTokensOrVectors,
  mediumNamed,
  mediumTyped,
  type DeclaredMedium,
} from './media.ts';

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

/** Names that some hosts use for media and others for text. Both interpretations apply. */
const MEDIA_OR_WORDS: ReadonlyMap<string, Media['kind']> = new Map([
  ['audio', 'audio'],
  ['video', 'video'],
]);

/** Members that the provider verifies or decrypts, so they must not be edited. */
const SEALED: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'fingerprint']);

/**
 * Reads content in any form, including strings in unknown parts (except `NOT_CONTENT` members), so that none bypasses
 * inspection.
 */
export function readParts(into: PromptCollector, place: TextRole, value: unknown, path: JsonPath): void {
  if (typeof value === 'string') {
    into.addText(place, value, path);
  } else if (Array.isArray(value)) {
    value.forEach((part, index) => {
      readParts(into, place, part, [...path, index]);
    });
  } else if (isObject(value)) {
    const type = mediumOfType(value.type) ?? fileReferred(value);
    const before = into.media.length;
    for (const [name, member] of Object.entries(value)) {
      readMember(into, place, name, member, [...path, name], type);
    }
    if (type?.isPart === true && into.media.length === before)
      into.media.push({ kind: type.kind, source: 'id' });
  }
}

function mediumOfType(type: unknown): DeclaredMedium | undefined {
  return type === 'computer_screenshot' ? { kind: 'image' } : mediumTyped(type);
}

/** Matches members that refer to media already processed by the engine, or contain it in an engine-specific form. */
const IN_ENGINE = /^uuid$|_(?:embeds?|pil)$/;

/** @param type the media declared by the part's type */
function readMember(
  into: PromptCollector,
  place: TextRole,
  name: string,
  value: unknown,
  path: JsonPath,
  type: DeclaredMedium | undefined,
): void {
  if (NOT_CONTENT.has(name)) return;
  const unread = MEDIA_OR_WORDS.get(name);
  if (unread !== undefined && value !== null) {
    into.media.push({ kind: unread, source: 'id' });
    addMediaOf(into, place, { kind: unread }, value, path);
  }
  const medium = mediumNamed(name) ?? (isMediumContent(name) ? type : undefined);
  if (medium !== undefined) readMedium(into, place, medium, value, path);
  else if (name === 'file_id') addUnseenFile(into, type?.kind ?? 'document', value);
  else if (SEALED.has(name)) into.addSealedText({ ...place, kind: 'reasoning' }, value, path);
  else {
    if ((IN_ENGINE.test(name) || isTokensOrVectors(name)) && value !== null) into.unseenContent = true;
    readParts(into, name === 'thinking' ? { ...place, kind: 'reasoning' } : place, value, path);
  }
}

function readMedium(
  into: PromptCollector,
  place: TextRole,
  medium: DeclaredMedium,
  value: unknown,
  path: JsonPath,
): void {
  if (typeof value === 'string') addMedium(into, place, medium, value, path);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      readMedium(into, place, medium, item, [...path, index]);
    });
  } else if (isObject(value)) {
    const mimeType = declaredMimeType(medium, value) ?? medium.mimeType;
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, name];
      if (name === 'file_id') addUnseenFile(into, medium.kind, member);
      else if (isMediumContent(name) || mediumNamed(name) !== undefined) {
        const isAddress = name === 'url' || name === 'uri' || mediumNamed(name)?.isAddress === true;
        readMedium(into, place, { ...medium, mimeType, isAddress }, member, at);
      } else if (!NOT_CONTENT.has(name)) readParts(into, place, member, at);
    }
  }
}

function declaredMimeType(
  { kind }: DeclaredMedium,
  part: { readonly [name: string]: unknown },
): string | undefined {
  if (kind === 'audio' && typeof part.format === 'string') return `audio/${part.format}`;
  const type = part.media_type ?? part.mime_type ?? part.mimeType;
  return typeof type === 'string' ? type : undefined;
}

function addUnseenFile(into: PromptCollector, kind: Media['kind'], id: unknown): void {
  if (id === undefined || id === null) return;
  into.media.push({ kind, source: 'id' });
  into.unseenContent = true;
}
