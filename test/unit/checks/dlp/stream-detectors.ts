import { LOOK_BEHIND_CHARS, type Finding, type StreamDetector } from '../../../../src/detectors/finding.ts';

/** A finding is a whole run of these characters: it is decided at the next other character. */
const RUN = /[\w@.+-]+/g;
const OPEN_RUN = /[\w@.+-]+$/;
const MAX_RUN_CHARS = 64;

/** Named values are found by the text before them, as far as a detector may look back. */
const NAME = /password\W{1,40}$/;

const BLOCK = /<<BEGIN>>[^<]{0,2000}<<END>>/g;
const BLOCK_HEAD = '<<BEGIN>>';
const MAX_BLOCK_CHARS = 2017;

/**
 * A small version of the real detectors: e-mail addresses, sixteen digits, `key-` and twelve letters, the word after
 * `password`, and long blocks with any content.
 */
export const wordDetector: StreamDetector = {
  find: (text) => [...findRuns(text), ...findBlocks(text)].sort((a, b) => a.start - b.start || b.end - a.end),
  openFrom: (text) => Math.min(openRun(text), openBlock(text)),
};

function findRuns(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const kind =
      run.length > MAX_RUN_CHARS
        ? undefined
        : kindOf(run, text.slice(Math.max(0, index - LOOK_BEHIND_CHARS), index));
    if (kind !== undefined) found.push({ ...kind, start: index, end: index + run.length });
  }
  return found;
}

function kindOf(run: string, before: string): Pick<Finding, 'detector' | 'class' | 'rule'> | undefined {
  if (/^[\w.]+@[\w.]+\.\w+$/.test(run)) return { detector: 'email', class: 'email', rule: 'address' };
  if (/^\d{16}$/.test(run)) return { detector: 'card', class: 'card', rule: 'sixteen' };
  if (/^key-[a-z]{12}$/.test(run)) return { detector: 'secrets', class: 'secret', rule: 'key' };
  if (run !== 'password' && NAME.test(before))
    return { detector: 'network', class: 'network', rule: 'named' };
  return undefined;
}

function findBlocks(text: string): Finding[] {
  return [...text.matchAll(BLOCK)].map(({ 0: block, index }) => ({
    detector: 'ssn',
    class: 'ssn',
    rule: 'block',
    start: index,
    end: index + block.length,
  }));
}

function openRun(text: string): number {
  const run = OPEN_RUN.exec(text.slice(-MAX_RUN_CHARS - 1))?.[0] ?? '';
  return run.length > MAX_RUN_CHARS ? text.length : text.length - run.length;
}

function openBlock(text: string): number {
  const from = Math.max(0, text.length - MAX_BLOCK_CHARS);
  const tail = text.slice(from);
  const head = tail.lastIndexOf(BLOCK_HEAD);
  if (head >= 0 && /^<<BEGIN>>[^<]*(?:<(?:<(?:E(?:N(?:D>?)?)?)?)?)?$/.test(tail.slice(head)))
    return from + head;
  for (let chars = BLOCK_HEAD.length - 1; chars > 0; chars -= 1) {
    if (text.endsWith(BLOCK_HEAD.slice(0, chars))) return text.length - chars;
  }
  return text.length;
}
