import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { takePictures } from './page.ts';
import { drawTerminal, type TerminalLine } from './terminal.ts';

/** `npm run picture` starts the demo, sends some of the requests that it prints, and draws the terminal. Then it takes
 * screenshots of the operator page. */
const ROOT = join(import.meta.dirname, '..', '..');
const PICTURE = join(ROOT, 'docs', 'first-run.svg');
/** Purposes of the requests, as the demo prints them. */
const SHOWN = [
  '# Personal data is masked',
  '# An injection is refused',
  '# A request that costs more than the budget',
];
const HEADERS = /^(HTTP|x-gateway-(request-cost|dlp-redacted|session-remaining|budget-window)|retry-after)/i;

const demo = spawn(process.execPath, [join(ROOT, 'cli', 'main.ts'), 'demo'], {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, NO_COLOR: '1' },
});
const ended = new Promise((resolve) => demo.once('exit', resolve));

async function printed(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: demo.stdout })) {
    lines.push(line);
    if (line.startsWith('Ctrl-C')) return lines;
  }
  throw new Error(`the demo ended early: ${lines.join('\n')}`);
}

/** The lines of a request, its comment first. */
function requestOf(lines: readonly string[], comment: string): string[] {
  const from = lines.findIndex((line) => line.startsWith(comment));
  const to = lines.indexOf('', from);
  if (from < 0 || to < 0) throw new Error(`the demo does not print "${comment}"`);
  return lines.slice(from, to);
}

/** Returns the status, the informative headers, and the body. */
function answerTo(request: readonly string[]): string[] {
  const answer = execFileSync('sh', ['-c', request.slice(1).join('\n')], { encoding: 'utf8' });
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return [...head.split('\r\n').filter((line) => HEADERS.test(line)), ...shownBody(body)];
}

/** Drops the end of a message that is meant for programs, and everything of a stream except its text. */
function shownBody(body: string): string[] {
  const lines = body
    .trim()
    .replace(/ For clients that retry: [^"]*/, ' …')
    .split('\n');
  if (!lines.some((line) => line.startsWith('data:'))) return lines;
  return lines.flatMap((line) => {
    const delta = /"delta":\{[^}]*"content":"[^"]+"[^}]*\}/.exec(line);
    return delta === null ? [] : [`data: {… ${delta[0]} …}`];
  });
}

try {
  const lines = await printed();
  const told = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('# ')),
  );
  const shown: TerminalLine[] = [
    { kind: 'command', text: '$ npm ci && npm start' },
    ...told.map((text) => ({ kind: 'output', text }) as const),
    ...SHOWN.flatMap((comment): TerminalLine[] => {
      const request = requestOf(lines, comment);
      return [
        ...request.map(
          (text, at) =>
            ({ kind: at === 0 ? 'comment' : 'command', text: at === 1 ? `$ ${text}` : text }) as const,
        ),
        ...answerTo(request).map((text) => ({ kind: 'output', text }) as const),
        { kind: 'output', text: '' },
      ];
    }),
  ];
  writeFileSync(PICTURE, drawTerminal(shown));
  const pictures = await takePictures(lines.join('\n'));
  process.stdout.write([PICTURE, ...pictures, ''].join('\n'));
} finally {
  demo.kill('SIGINT');
  await ended;
}
