import { percentile, requestBytes, runLoad } from '../support/load.ts';
import { meterCpu } from './machine.ts';
import { createProse, newPrompts, sessionHeader } from './prompts.ts';
import type { Rig } from './rig.ts';
import { median } from './statistics.ts';

/** The cost of one turn of an agent that sends its whole history each time. */
export interface HistoryRow {
  readonly name: string;
  /** From 1. */
  readonly turn: number;
  /** Bytes of the request's texts, including the new one. */
  readonly historyBytes: number;
  /** CPU of all of the rig's processes; the median of the rounds. */
  readonly cpuMs: number;
  readonly p50Ms: number;
}

export interface HistoryResult {
  readonly rows: readonly HistoryRow[];
  readonly failures: Readonly<Record<string, number>>;
}

const TURNS = 40;
/** Bytes of each message. A turn has one of the user and one of the model. */
const MESSAGE_BYTES = 1_024;
/** Conversations at once, whose turns are measured together. */
const CONVERSATIONS = 32;
const CONNECTIONS = 8;
/** Requests before the first round: code is compiled in the first thousand. */
const WARM_UP = 1_500;

interface Conversation {
  readonly session: string;
  readonly messages: { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

/** Measures turn by turn, every rig at each turn, so that other load affects all rigs. */
export async function measureHistories(rigs: readonly Rig[], rounds: number): Promise<HistoryResult> {
  const samples = new Map<string, { readonly cpuMs: number[]; readonly p50Ms: number[] }>();
  const failures = new Map(rigs.map(({ name }) => [name, 0]));
  for (const rig of rigs)
    await runLoad(rig, {
      connections: CONNECTIONS,
      requests: WARM_UP,
      bytes: newPrompts(rig, MESSAGE_BYTES, rig),
    });
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`histories, round ${String(round)} of ${String(rounds)}\n`);
    const sides = rigs.map((rig) => ({ rig, ...startConversations(round) }));
    for (let turn = 1; turn <= TURNS; turn++) {
      for (const { rig, conversations, next } of sides) {
        for (const { messages } of conversations)
          messages.push({ role: 'user', content: next(MESSAGE_BYTES) });
        const { cpuMs, p50Ms, failed } = await sendTurn(rig, conversations);
        const into = samples.get(cellOf(rig.name, turn)) ?? { cpuMs: [], p50Ms: [] };
        samples.set(cellOf(rig.name, turn), into);
        into.cpuMs.push(cpuMs);
        into.p50Ms.push(p50Ms);
        failures.set(rig.name, (failures.get(rig.name) ?? 0) + failed);
        for (const { messages } of conversations)
          messages.push({ role: 'assistant', content: next(MESSAGE_BYTES) });
      }
    }
  }
  const rows = rigs.flatMap(({ name }) =>
    Array.from({ length: TURNS }, (_, at): HistoryRow => {
      const turn = at + 1;
      const { cpuMs = [], p50Ms = [] } = samples.get(cellOf(name, turn)) ?? {};
      const historyBytes = (2 * turn - 1) * MESSAGE_BYTES;
      return { name, turn, historyBytes, cpuMs: median(cpuMs), p50Ms: median(p50Ms) };
    }),
  );
  return { rows, failures: Object.fromEntries(failures) };
}

const cellOf = (name: string, turn: number): string => `${name} ${String(turn)}`;

function startConversations(round: number) {
  const conversations = Array.from({ length: CONVERSATIONS }, (_, at): Conversation => ({
    session: `history-${String(process.pid)}-${String(round)}-${String(at)}`,
    messages: [],
  }));
  return { conversations, next: createProse(1_000 + round) };
}

/** One turn of each conversation. */
async function sendTurn(rig: Rig, conversations: readonly Conversation[]) {
  const requests = conversations.map(({ session, messages }) => {
    const headers = { ...rig.headers, ...sessionHeader(session) };
    return requestBytes(
      { ...rig, headers },
      JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 100, messages }),
    );
  });
  const left = requests.values();
  const stop = meterCpu(rig);
  const { latenciesMs, failures } = await runLoad(rig, {
    connections: CONNECTIONS,
    requests: requests.length,
    bytes: () => left.next().value ?? Buffer.alloc(0),
  });
  const seconds = stop()();
  return {
    cpuMs: (seconds / requests.length) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    failed: failures,
  };
}
