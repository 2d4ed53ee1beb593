import type { JsonPath } from '../../json/path.ts';
import type { Media, PromptText } from '../request-facts.ts';
import { requiredObject } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { ROLE, type PromptCollector, type TextRole } from './prompt-collector.ts';
import { addMedium, addTextFile, addUnknown, isTextType } from './media.ts';

type Role = PromptText['role'];

const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** Reads `content` or `system`. Reads all strings in unknown blocks: none may bypass inspection. */
export function readAnthropicContent(
  into: PromptCollector,
  role: Role,
  content: unknown,
  path: JsonPath,
): void {
  if (content === undefined || content === null) return;
  const place: TextRole = { role, kind: role === 'tool' ? 'tool_result' : 'text' };
  if (typeof content === 'string') {
    into.addText(place, content, path);
  } else if (Array.isArray(content)) {
    content.forEach((block, index) => {
      readBlock(into, place, requiredObject(block, 'content'), [...path, index]);
    });
  } else {
    addUnknown(into, place, content, path);
  }
}

function readBlock(into: PromptCollector, place: TextRole, block: JsonObject, path: JsonPath): void {
  const { type } = block;
  if (type === 'text') {
    into.addText(place, block.text, [...path, 'text']);
    into.addTextsIn(place, block.citations, [...path, 'citations']);
  } else if (type === 'image' || type === 'document') {
    readMedium(into, place, block, type, path);
  } else if (CALLS.has(type)) {
    into.addTextsIn(ROLE.toolArguments, block.input, [...path, 'input']);
  } else if (type === 'thinking') {
    const { thinking: text, signature } = block;
    into.addThought(place.role, { text, signature }, [...path, 'thinking']);
    // The signature carries the full thinking, and counts as input.
    into.addSealedText({ role: place.role, kind: 'reasoning' }, block.signature, [...path, 'signature']);
  } else if (type === 'redacted_thinking') {
    into.addSealedText({ role: place.role, kind: 'reasoning' }, block.data, [...path, 'data']);
  } else if (type === 'tool_result') {
    readAnthropicContent(into, 'tool', block.content, [...path, 'content']);
  } else if (type === 'container_upload') {
    into.unseenContent = true;
  } else {
    readOther(into, place, block, path);
  }
}

/** Reads search results, provider tool results, tool references and unknown types. */
function readOther(into: PromptCollector, place: TextRole, block: JsonObject, path: JsonPath): void {
  const isResult = typeof block.type === 'string' && block.type.endsWith('_tool_result');
  const kind = isResult ? 'tool_result' : place.kind;
  const role = isResult ? 'tool' : place.role;
  addUnknown(into, { role, kind }, block, path);
  if (mentionsFile(block)) into.unseenContent = true;
}

function mentionsFile(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsFile);
  if (!isObject(value)) return false;
  return typeof value.file_id === 'string' || Object.values(value).some(mentionsFile);
}

function readMedium(
  into: PromptCollector,
  place: TextRole,
  block: JsonObject,
  kind: Media['kind'] & ('image' | 'document'),
  path: JsonPath,
): void {
  into.addText(place, block.title, [...path, 'title']);
  into.addText(place, block.context, [...path, 'context']);
  const source = requiredObject(block.source, `${kind}.source`);
  const at = [...path, 'source'];
  const mimeType = typeof source.media_type === 'string' ? { mimeType: source.media_type } : {};
  switch (source.type) {
    case 'text':
      into.addText(place, source.data, [...at, 'data']);
      break;
    case 'content':
      readAnthropicContent(into, place.role, source.content, [...at, 'content']);
      break;
    case 'base64':
      if (kind === 'document' && isTextType(mimeType.mimeType ?? '')) {
        addTextFile(into, kind, place, source.data, [...at, 'data']);
        break;
      }
      into.media.push({
        kind,
        source: 'inline',
        ...(typeof source.data === 'string' ? { data: source.data } : {}),
        ...mimeType,
      });
      break;
    case 'url':
      addMedium(into, place, { kind, isAddress: true }, source.url, [...at, 'url']);
      break;
    default:
      into.media.push({ kind, source: 'id', ...mimeType });
      into.unseenContent = true;
      addUnknown(into, place, source, at);
  }
}
