import { driftSettings } from './checks/drift/check.ts';
import { createConversationJudge } from './checks/drift/conversation.ts';
import type { Config } from './config/schema.ts';
import { loadSeedWords } from './detectors/assets/seed-phrase.ts';
import { readInputText } from './scan/lines.ts';
import { conversationRow, textRow, scanLines, type Scanned } from './scan/rows.ts';
import { createConversationScan, type ConversationReport } from './scan/scan-conversation.ts';
import { createTextScan, type TextReport } from './scan/scan-text.ts';
import type { ScanSurface } from './scan/surface.ts';

/** Composition root of commands that need neither Redis nor gRPC. Reports are yielded on demand, in input order. */
export type Reports<Report> = AsyncGenerator<Scanned<Report>>;

type Bytes = AsyncIterable<Uint8Array>;

/** Scans a whole stream as one text. `name` identifies the stream in errors. */
export async function* scanText(
  bytes: Bytes,
  { id, name }: { readonly id: string; readonly name: string },
  surface: ScanSurface,
): Reports<TextReport> {
  const text = await readInputText(bytes, name);
  await loadSeedWords();
  yield { found: createTextScan(surface)({ id, text }) };
}

/** Scans JSON lines `{id, text}`. */
export async function* scanTexts(bytes: Bytes, surface: ScanSurface): Reports<TextReport> {
  await loadSeedWords();
  yield* scanLines(bytes, textRow, createTextScan(surface));
}

/** Scans JSON lines `{id, turns, replies}`, whether or not drift detection is enabled. */
export function scanConversations(
  bytes: Bytes,
  drift: Config['session']['drift_detection'],
): Reports<ConversationReport> {
  const judge = createConversationJudge(driftSettings(drift));
  return scanLines(bytes, conversationRow, createConversationScan(judge));
}
