import type { JsonPath } from '../../json/path.ts';
import type { Media, PromptText } from '../request-facts.ts';
import { arrayOf, objectOf, requiredObject } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { ROLE, type PromptCollector, type TextRole } from './prompt-collector.ts';
import { addTextFile, addUnknown } from './media.ts';

type Role = PromptText['role'];

/** Reads `system`, `content` or a tool result's content: blocks, each with one member named after its type. */
export function readBlocks(into: PromptCollector, role: Role, blocks: unknown, path: JsonPath): void {
  const place: TextRole = { role, kind: role === 'tool' ? 'tool_result' : 'text' };
  if (!Array.isArray(blocks)) {
    addUnknown(into, place, blocks, path);
    return;
  }
  blocks.forEach((value, index) => {
    const block = requiredObject(value, 'content');
    for (const name of Object.keys(block)) readMember(into, place, name, block[name], [...path, index, name]);
  });
}

function readMember(
  into: PromptCollector,
  place: TextRole,
  name: string,
  value: unknown,
  path: JsonPath,
): void {
  switch (name) {
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
      readMedium(into, place, name, objectOf(value), path);
      break;
    case 'toolUse':
      into.addTextsIn(ROLE.toolArguments, objectOf(value).input, [...path, 'input']);
      break;
    case 'toolResult':
      readBlocks(into, 'tool', objectOf(value).content, [...path, 'content']);
      break;
    case 'reasoningContent':
      readReasoning(into, place.role, objectOf(value), path);
      break;
    case 'guardContent':
      readGuarded(into, place, objectOf(value), path);
      break;
    default:
      // text, citations, search results, a tool result's json, and unknown members.
      addUnknown(into, place, value, path);
  }
}

function readReasoning(into: PromptCollector, role: Role, block: JsonObject, path: JsonPath): void {
  const place: TextRole = { role, kind: 'reasoning' };
  const { reasoningText } = block;
  if (isObject(reasoningText)) {
    const { text, signature } = reasoningText;
    into.addThought(role, { text, signature }, [...path, 'reasoningText', 'text']);
    into.addSealedText(place, reasoningText.signature, [...path, 'reasoningText', 'signature']);
  }
  into.addSealedText(place, block.redactedContent, [...path, 'redactedContent']);
}

/** Reads content marked for a guardrail. The model reads it too. */
function readGuarded(into: PromptCollector, place: TextRole, block: JsonObject, path: JsonPath): void {
  into.addTextsIn(place, block.text, [...path, 'text']);
  if (isObject(block.image)) readMedium(into, place, 'image', block.image, [...path, 'image']);
}

const TEXT_FORMATS: ReadonlySet<unknown> = new Set(['txt', 'md', 'csv', 'html']);

function readMedium(
  into: PromptCollector,
  place: TextRole,
  kind: Media['kind'],
  block: JsonObject,
  path: JsonPath,
): void {
  into.addText(place, block.name, [...path, 'name']);
  into.addText(place, block.context, [...path, 'context']);
  const source = objectOf(block.source);
  const at = [...path, 'source'];
  const mimeType = typeof block.format === 'string' ? { mimeType: mimeTypeOf(kind, block.format) } : {};
  if (typeof source.bytes === 'string') {
    if (TEXT_FORMATS.has(block.format)) addTextFile(into, kind, place, source.bytes, [...at, 'bytes']);
    else into.media.push({ kind, source: 'inline', data: source.bytes, ...mimeType });
  } else if (source.s3Location !== undefined) {
    into.media.push({ kind, source: 'id', ...mimeType });
    into.unseenContent = true;
  } else {
    const isText = kind === 'document' && (source.text !== undefined || source.content !== undefined);
    if (!isText) into.media.push({ kind, source: 'id', ...mimeType });
    addUnknown(into, place, block, path);
  }
}

const DOCUMENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
]);

function mimeTypeOf(kind: Media['kind'], format: string): string {
  return kind === 'document'
    ? (DOCUMENT_TYPES.get(format) ?? 'application/octet-stream')
    : `${kind}/${format === 'three_gp' ? '3gpp' : format}`;
}

export function readMessages(into: PromptCollector, messages: unknown, path: JsonPath): void {
  arrayOf(messages).forEach((value, index) => {
    const message = requiredObject(value, 'messages');
    const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
    readBlocks(into, role, message.content, [...path, index, 'content']);
  });
}
