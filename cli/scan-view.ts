import type { ConversationReport } from '../src/scan/scan-conversation.ts';
import type { TextReport } from '../src/scan/scan-text.ts';
import { indented, printable, table, type Paint } from './output.ts';

export function textTable({ id, findings, obfuscation, masked }: TextReport, paint: Paint): string {
  const obfuscations = Object.entries(obfuscation).flatMap(([name, found]) => (found ? [name] : []));
  const rows = findings.map(({ detector, class: kind, rule, start, end, action, score }) => [
    detector,
    kind,
    rule,
    `${String(start)}-${String(end)}`,
    score === undefined ? '-' : score.toFixed(2),
    action,
  ]);
  return [
    paint('bold', `${printable(String(id))}: ${countOf(findings.length)}`),
    ...(obfuscations.length === 0 ? [] : [`  obfuscation: ${obfuscations.join(', ')}`]),
    ...(rows.length === 0
      ? []
      : [indented(table(['DETECTOR', 'CLASS', 'RULE', 'AT', 'SCORE', 'ACTION'], rows, paint))]),
    ...(rows.length === 0 ? [] : [`  masked: ${printable(firstLine(masked))}`]),
    '',
  ].join('\n');
}

export function conversationTable({ id, turns }: ConversationReport, paint: Paint): string {
  const rows = turns.map((turn) => [
    String(turn.turn_count),
    turn.drift_score.toFixed(2),
    turn.anchor_similarity.toFixed(2),
    turn.prior_similarity.toFixed(2),
    turn.denied ? 'denied' : 'passed',
  ]);
  const title = paint(
    'bold',
    `${printable(String(id))}: ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`,
  );
  const headings = ['TURN', 'DRIFT', 'ANCHOR SIMILARITY', 'PRIOR SIMILARITY', 'VERDICT'];
  return `${title}\n${indented(table(headings, rows, paint))}\n`;
}

function countOf(findings: number): string {
  if (findings === 0) return 'nothing found';
  return findings === 1 ? '1 finding' : `${String(findings)} findings`;
}

const MAX_SHOWN_CHARS = 200;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > MAX_SHOWN_CHARS || line !== text.trim() ? `${line.slice(0, MAX_SHOWN_CHARS)}…` : line;
}
