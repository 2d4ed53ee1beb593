import { isMessageEvent, isServerMessage } from '../../mcp/answer-shape.ts';
import { paramsOf } from '../../mcp/read-message.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import {
  PASS,
  PASS_EVENT,
  type Denial,
  type StreamAction,
  type StreamRewriter,
  type Verdict,
} from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { StreamEvent } from '../../providers/dialect.ts';
import { withoutCase } from '../../text/without-case.ts';
import { after, type Awaitable } from '../../turns.ts';
import type { McpSession, McpSessionStore } from './session-binding/store.ts';

/** Binds MCP tasks to the keys that started them. Servers see all keys as one (docs/mcp-sessions.md#tasks). */
export interface TaskBinding {
  judge(exchange: Parsed): Awaitable<Verdict>;
  /** Binds a task that an answer starts, and removes other keys' tasks from lists. */
  keep(exchange: Answered): Awaitable<Verdict>;
  /** Like `keep` for each stream message. Also drops notifications and requests about other keys' tasks. */
  rewriter(exchange: Answered): StreamRewriter | undefined;
}

const LIST = 'tasks/list';
const NAMING: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel']);
const ERROR_STATUS = 400;
/** Number of tasks looked up per list; further ones are removed. */
const MAX_LISTED = 1_000;

/** @param store shared with MCP sessions, whose ids contain no line feed */
export function createTaskBinding(store: Pick<McpSessionStore, 'bind' | 'use'>): TaskBinding {
  async function isOwn(exchange: Parsed, taskId: unknown): Promise<boolean> {
    return typeof taskId === 'string' && (await store.use(taskOf(exchange, taskId))) === 'own';
  }

  async function areOwn(exchange: Parsed, taskIds: readonly unknown[]): Promise<boolean> {
    const own = await Promise.all(taskIds.map((taskId) => isOwn(exchange, taskId)));
    return own.every(Boolean);
  }

  /** Returns edits that remove other keys' tasks, or a denial if the message starts another key's task. */
  async function judgeMessage(exchange: Answered, message: JsonObject): Promise<Denial | JsonEdit[]> {
    const begun = begunTask(exchange, message);
    if (begun !== undefined && (await store.bind(taskOf(exchange, begun))) !== 'own') return takenTask();
    const listed = listedTasks(exchange, message);
    const own = await Promise.all(
      listed.map((task, index) => index < MAX_LISTED && isOwn(exchange, isObject(task) && task['taskId'])),
    );
    return own.flatMap((isShown, index): JsonEdit[] =>
      isShown ? [] : [{ kind: 'remove', path: ['result', 'tasks', index] }],
    );
  }

  function judgeEvent(exchange: Answered, event: StreamEvent): Awaitable<StreamAction> {
    if ((event.frame.data ?? '') === '' || !isMessageEvent(event)) return PASS_EVENT;
    const { json } = event;
    if (!isReadable(json))
      return asksForList(exchange) ? { kind: 'cut', denial: unreadableList() } : PASS_EVENT;
    const named = namedTasks(json);
    if (named.length > 0) return areOwn(exchange, named).then((own) => (own ? PASS_EVENT : { kind: 'drop' }));
    if (!namesTasks(exchange, json)) return PASS_EVENT;
    return judgeMessage(exchange, json).then((found): StreamAction => {
      if (!Array.isArray(found)) return { kind: 'cut', denial: found };
      return found.length === 0 ? PASS_EVENT : { kind: 'rewrite', edits: found, reason: leftOut(found) };
    });
  }

  return {
    judge(exchange) {
      const message = exchange.request.mcp;
      const { taskId } = paramsOf(exchange.json);
      if (message?.kind !== 'request' || !isAboutTask(message.method, taskId)) return PASS;
      return isOwn(exchange, taskId).then((own) => (own ? PASS : unknownTask()));
    },
    keep(exchange) {
      const { whole } = exchange.answer;
      if (exchange.origin !== 'provider' || whole === undefined || whole.body.length === 0) return PASS;
      const { json } = whole;
      if (!isReadable(json))
        return asksForList(exchange) && exchange.status < ERROR_STATUS ? unreadableList() : PASS;
      if (!namesTasks(exchange, json)) return PASS;
      return judgeMessage(exchange, json).then((found): Verdict => {
        if (!Array.isArray(found)) return found;
        if (found.length === 0) return PASS;
        return { kind: 'rewrite', reason: leftOut(found), apply: () => void whole.edits.push(...found) };
      });
    },
    rewriter: (exchange) =>
      exchange.mcp === undefined
        ? undefined
        : {
            ...(!asksForList(exchange) && { readsText: false }),
            event: (event) => judgeEvent(exchange, event),
          },
  };
}

export function inOrder(
  first: StreamRewriter | undefined,
  second: StreamRewriter | undefined,
): StreamRewriter | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    ...(first.readsText === false && second.readsText === false && { readsText: false }),
    event: (event) =>
      after(first.event?.(event) ?? PASS_EVENT, (action) =>
        action.kind === 'pass' ? (second.event?.(event) ?? PASS_EVENT) : action,
      ),
  };
}

/** An unknown method that an operator allows may also name a task. */
function isAboutTask(method: string, taskId: unknown): boolean {
  return NAMING.has(method) || (method.startsWith('tasks/') && taskId !== undefined);
}

function asksForList({ request: { mcp } }: Answered): boolean {
  return mcp?.kind === 'request' && mcp.method === LIST;
}

function taskOf({ mcp, key }: Parsed, taskId: string): McpSession {
  return { server: mcp?.server ?? '', sessionId: `task\n${taskId}`, keyHash: key.keyHash };
}

/** Reports whether every parser finds the same tasks in a message. */
function isReadable(message: unknown): message is JsonObject {
  if (!isServerMessage(message)) return false;
  const { result } = message;
  return (
    !isObject(result) ||
    Object.keys(result).every((name) => name === 'tasks' || withoutCase(name) !== withoutCase('tasks'))
  );
}

function namesTasks(exchange: Answered, message: JsonObject): boolean {
  return begunTask(exchange, message) !== undefined || listedTasks(exchange, message).length > 0;
}

/** Returns the method that a message answers, or undefined if it answers another request. */
function answeredMethod({ request: { mcp } }: Answered, message: JsonObject): string | undefined {
  return mcp?.kind === 'request' && mcp.id === message['id'] ? mcp.method : undefined;
}

/** Returns the id of a started task: in `task` up to 2025-11-25, in the result itself in 2026-07-28. */
function begunTask(exchange: Answered, message: JsonObject): string | undefined {
  const { result } = message;
  if (!isObject(result) || answeredMethod(exchange, message)?.startsWith('tasks/') === true) return undefined;
  const holder = isObject(result['task']) ? result['task'] : result['resultType'] === 'task' ? result : {};
  return typeof holder['taskId'] === 'string' ? holder['taskId'] : undefined;
}

const RELATED = 'io.modelcontextprotocol/related-task';

function namedTasks({ method, params }: JsonObject): readonly unknown[] {
  if (typeof method !== 'string') return [];
  const own = isObject(params) ? params : {};
  const meta = isObject(own['_meta']) ? own['_meta'] : {};
  const holders = [own, own['task'], meta[RELATED]].filter(isObject);
  const named = holders.flatMap((holder) => (Object.hasOwn(holder, 'taskId') ? [holder['taskId']] : []));
  return named.length === 0 && method.startsWith('notifications/tasks/') ? [undefined] : named;
}

function listedTasks(exchange: Answered, message: JsonObject): readonly unknown[] {
  const { result } = message;
  const method = answeredMethod(exchange, message);
  if (!isObject(result) || (method !== undefined && method !== LIST)) return [];
  return Array.isArray(result['tasks']) ? result['tasks'] : [];
}

function leftOut(edits: readonly JsonEdit[]): string {
  return `removed tasks of other keys: ${String(edits.length)}`;
}

/** Unknown tasks and other keys' tasks get the same answer, so that guessing ids reveals nothing. */
function unknownTask(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_params',
    message: 'unknown task: only the key that started a task can use it',
  };
}

function takenTask(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: 'the MCP server returned a task that belongs to another key',
  };
}

function unreadableList(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: "the MCP server's task list is unreadable, so tasks of other keys cannot be removed",
  };
}
