export interface TerminalLine {
  readonly kind: 'command' | 'comment' | 'output';
  readonly text: string;
}

const COLUMNS = 112;
const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.8;
const MARGIN = 18;
const BAR = 30;
/** Matches a proxy key. A picture shows only its beginning. */
const PROXY_KEY = /\b(gw-[\w-]{6})[\w-]{37}/g;
const PASSWORD = /\(password \S+\)/;

const STYLE = `
text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre }
.command { fill: #e6edf3 } .comment { fill: #8b949e } .output { fill: #7ee787 }
`;

/** Returns an SVG of a terminal with these lines. Long lines are wrapped. */
export function drawTerminal(lines: readonly TerminalLine[]): string {
  const rows = lines.flatMap(({ kind, text }) =>
    wrapped(text.replaceAll(PROXY_KEY, '$1…').replace(PASSWORD, '(password …)')).map((row) => ({
      kind,
      row,
    })),
  );
  const width = Math.ceil(COLUMNS * CHARACTER_WIDTH) + 2 * MARGIN;
  const height = BAR + rows.length * LINE_HEIGHT + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" role="img">`,
    '<title>The first run: a start, an answer that was masked, and a request that the budget refused</title>',
    `<style>${STYLE}</style>`,
    `<rect width="${String(width)}" height="${String(height)}" rx="8" fill="#0d1117"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (color, at) => `<circle cx="${String(MARGIN + at * 18)}" cy="16" r="5" fill="${color}"/>`,
    ),
    ...rows.map(
      ({ kind, row }, at) =>
        `<text class="${kind}" x="${String(MARGIN)}" y="${String(BAR + (at + 1) * LINE_HEIGHT - 4)}">${escaped(row)}</text>`,
    ),
    '</svg>\n',
  ].join('\n');
}

function wrapped(text: string): string[] {
  const rows: string[] = [];
  for (let from = 0; from === 0 || from < text.length; from += COLUMNS)
    rows.push(text.slice(from, from + COLUMNS));
  return rows;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
