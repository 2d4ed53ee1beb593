import { agentOf, sessionIdOf } from '../formats/fields.ts';
import { isObject } from '../../json/is-object.ts';
import { resourceOf, startOf, isSpan, type OtlpResource } from '../formats/otlp.ts';
import { headSchema, problemOf, type HeadFields } from '../schema.ts';
import { unreadableStep, type Context, type TracePlace, type ReadElement } from '../step.ts';
import { parsedValue, type ElementReader } from './elements.ts';
import type { SplitPart } from './split.ts';

export interface DocumentReader {
  read(piece: SplitPart): ReadElement[];
  /** Returns the remaining parts of an incomplete document. */
  flush(): ReadElement[];
}

export interface DocumentOptions {
  readonly elements: ElementReader;
  readonly context: Context;
  readonly next: (line: number) => TracePlace;
}

type Element = Extract<SplitPart, { kind: 'element' }>;

/** Maximum size of the elements that wait for later parts of their document. */
const MAX_HELD_BYTES = 8_388_608;
const SHARED_MEMBERS = ['session_id', 'agent', 'provider', 'model'] as const;
const NO_RESOURCE: OtlpResource = { attributes: {} };

/**
 * Holds back the first steps, because session and agent may follow them. Sorts spans by start, because they arrive in
 * the order of their ends.
 */
export function createDocumentReader({ elements, context, next }: DocumentOptions): DocumentReader {
  const spans = createTimeOrder<ReadElement>();
  let head: Buffer | undefined;
  let known: HeadFields = {};
  let current = context;
  let resource = NO_RESOURCE;
  let isHolding = false;
  let held: Element[] = [];
  let heldBytes = 0;
  let hasSteps = false;

  function element(piece: Element): ReadElement[] {
    if (piece.head !== head) enter(piece.head);
    if (!isHolding) return readElement(piece);
    held.push(piece);
    heldBytes += piece.bytes.length;
    return heldBytes > MAX_HELD_BYTES ? release() : [];
  }

  /** Called at the beginning of an array, with the document so far. */
  function enter(written: Buffer): void {
    head = written;
    const parsed = parsedValue(written);
    const value = 'value' in parsed ? parsed.value : undefined;
    resource = resourceIn(value);
    hasSteps = isObject(value) && !Object.hasOwn(value, 'resourceSpans');
    if (!hasSteps) return;
    known = headSchema.safeParse(value).data ?? {};
    current = contextOfHead(known, context);
    isHolding = known.session_id == null || known.agent == null;
  }

  function release(): ReadElement[] {
    isHolding = false;
    const waiting = held;
    held = [];
    return waiting.flatMap(readElement);
  }

  function readElement({ bytes, line }: Element): ReadElement[] {
    const place = next(line);
    const parsed = parsedValue(bytes);
    if ('problem' in parsed) return [{ ...place, ...unreadableStep(parsed.problem) }];
    const { value } = parsed;
    const read = elements.read(value, place, current, resource);
    const at = isObject(value) && isSpan(value) ? startOf(value) : undefined;
    return at === undefined
      ? read.map(elements.settle)
      : read.flatMap((element) => spans.add(element, at, bytes.length)).map(elements.settle);
  }

  function end(piece: Extract<SplitPart, { kind: 'document' }>): ReadElement[] {
    const parsed = parsedValue(piece.bytes);
    if ('problem' in parsed) return [{ ...next(piece.line), ...unreadableStep(parsed.problem) }];
    const { value } = parsed;
    if (!piece.hasLists) {
      return elements.read(value, next(piece.line), context, NO_RESOURCE).map(elements.settle);
    }
    const written = hasSteps ? headSchema.safeParse(value) : undefined;
    if (written?.error !== undefined) {
      return [...release(), { ...next(piece.line), ...unreadableStep(problemOf(written.error)) }];
    }
    const late = isHolding ? undefined : lateMember(written?.data ?? {}, known);
    if (isHolding) current = contextOfHead(written?.data ?? {}, context);
    const rest = [...release(), ...spans.end().map(elements.settle)];
    if (late === undefined) return rest;
    const problem = `${late} follows too many steps: put it before the steps`;
    return [...rest, { ...next(piece.line), ...unreadableStep(problem) }];
  }

  return {
    flush: () => [...release(), ...spans.end().map(elements.settle)],
    read(piece) {
      if (piece.kind === 'element') return element(piece);
      if (piece.kind === 'document') return end(piece);
      return [{ ...next(piece.line), ...unreadableStep('is longer than 16 MiB') }];
    },
  };
}

function contextOfHead(head: HeadFields, outer: Context): Context {
  return {
    sessionId: head.session_id == null ? outer.sessionId : sessionIdOf(head.session_id),
    agent: head.agent == null ? outer.agent : agentOf(head.agent),
    provider: head.provider ?? outer.provider,
    model: head.model ?? outer.model,
  };
}

function lateMember(written: HeadFields, known: HeadFields): string | undefined {
  return SHARED_MEMBERS.find((name) => written[name] != null && known[name] == null);
}

/** Returns the resource of the current spans, which is the last one in the document so far. */
function resourceIn(document: unknown): OtlpResource {
  const { resourceSpans } = isObject(document) ? document : {};
  const last: unknown = Array.isArray(resourceSpans) ? resourceSpans.at(-1) : undefined;
  return isObject(last) ? resourceOf(last['resource']) : NO_RESOURCE;
}

const MAX_ITEMS = 20_000;
const MAX_BYTES = 33_554_432;

/** Sorts items that arrive roughly in time order. */
function createTimeOrder<Item>() {
  let waiting: { readonly item: Item; readonly at: number; readonly bytes: number }[] = [];
  let bytes = 0;

  /** Sorts and releases the earliest items in batches, because sorting for each item would be slow. */
  function release(count: number): Item[] {
    waiting.sort((a, b) => a.at - b.at);
    const released = waiting.slice(0, count);
    waiting = waiting.slice(count);
    for (const each of released) bytes -= each.bytes;
    return released.map(({ item }) => item);
  }

  return {
    /** Returns the items that no later arrival is expected to precede. */
    add(item: Item, at: number, size: number): Item[] {
      waiting.push({ item, at, bytes: size });
      bytes += size;
      const isFull = waiting.length >= MAX_ITEMS || bytes >= MAX_BYTES;
      return isFull ? release(Math.ceil(waiting.length / 2)) : [];
    },
    end: (): Item[] => release(waiting.length),
  };
}
