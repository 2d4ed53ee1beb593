import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const pages = FILES.filter((file) => file.endsWith('.md'));

/** Anchors of a page, derived from its headings as on GitHub. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = textOf(page).matchAll(/^#{1,6} +(.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Returns why a target does not exist; undefined if it does. */
function brokenBecause(target: string, folder: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? folder : normalize(join(folder, path));
  if (!existsSync(join(ROOT, file))) return 'there is no such file';
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  return anchorsOf(file).has(anchor) ? undefined : 'there is no such heading';
}

/** Records of decisions: the number in each one's name, and the file. */
const records = FILES.flatMap((file) => {
  const [, number] = /^docs\/decisions\/(\d{3})-[a-z0-9-]+\.md$/.exec(file) ?? [];
  return number === undefined ? [] : [{ number, file }];
});

/** Words of a text, without the targets of its links. */
function wordsOf(text: string): number {
  const said = text.replaceAll(/\]\([^)]*\)/g, ']').split(/\s+/);
  return said.filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Missing parts of a record's form: title, status with date, question, choice, at most 200 words. */
function faultsOf(number: string, file: string): readonly string[] {
  const [title = '', , status = '', ...body] = textOf(file).split('\n');
  const text = body.join('\n');
  return [
    ...(title.startsWith(`# ${number}: `) ? [] : [`${file}: the title must begin "# ${number}: "`]),
    ...(/^Status: (?:accepted|superseded by \[\d{3}\]\(\S+\)), \d{4}-\d\d-\d\d\.$/.test(status)
      ? []
      : [`${file}: the third line must be "Status: accepted, <date>."`]),
    ...(/\*\*Question\.\*\*[^]*\*\*Choice\.\*\*/.test(text) ? [] : [`${file}: a question, then a choice`]),
    ...(wordsOf(text) <= 200 ? [] : [`${file}: ${wordsOf(text)} words of 200`]),
  ];
}

describe('references in pages and code', () => {
  it('every relative link of a page leads somewhere', () => {
    const broken = pages.flatMap((page) =>
      [
        ...textOf(page)
          .replaceAll(/```[\s\S]*?```/g, '')
          .matchAll(/\]\(([^)\s]+)\)/g),
      ].flatMap(([, target = '']) => {
        if (/^[a-z]+:/.test(target)) return [];
        const why = brokenBecause(target, target.startsWith('#') ? page : dirname(page));
        return why === undefined ? [] : [`${page}: ${target}: ${why}`];
      }),
    );
    expect(pages.length).toBeGreaterThan(60);
    expect(broken).toEqual([]);
  });

  it('README is short enough to read in a minute', () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
  });

  it('the index names every page', () => {
    const named = textOf('docs/README.md');
    const missing = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md');
    expect(missing.filter((page) => !named.includes(`(${page.slice('docs/'.length)})`))).toEqual([]);
  });

  it('every record of a decision has the form of all', () => {
    expect(records.length).toBeGreaterThan(80);
    expect(records.flatMap(({ number, file }) => faultsOf(number, file))).toEqual([]);
    expect(new Set(records.map(({ number }) => number)).size).toBe(records.length);
  });

  it('the index of decisions has the title of every record', () => {
    const index = textOf('docs/decisions/README.md');
    const entries = records.map(({ number, file }) => {
      const title = textOf(file).split('\n', 1)[0]?.slice(`# ${number}: `.length) ?? '';
      return `- [${number}](${file.slice('docs/decisions/'.length)}): ${title}\n`;
    });
    expect(entries.filter((entry) => !index.includes(entry))).toEqual([]);
  });

  it('every page that the code cites is there', () => {
    const sources = FILES.filter((file) =>
      /^(src|cli|test|envoy|policies|deploy)\/.*\.(ts|lua|ya?ml)$/.test(file),
    );
    const cited = sources.flatMap((file) =>
      [...textOf(file).matchAll(/\bdocs\/[a-z0-9/-]+\.md(?:#[a-z0-9-]+)?/g)].map(([target]) => ({
        file,
        target,
      })),
    );
    const broken = cited.flatMap(({ file, target }) => {
      const why = brokenBecause(target, '.');
      return why === undefined ? [] : [`${file}: ${target}: ${why}`];
    });
    expect(cited.length).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  });

  it('every decision that is cited by its number is there', () => {
    const known = new Set(records.map(({ number }) => number));
    const texts = FILES.filter((file) => /\.(?:ts|lua|md|ya?ml)$/.test(file));
    const broken = texts.flatMap((file) =>
      [...textOf(file).matchAll(/\bdecisions? (\d{3})\b/gi)].flatMap(([, number = '']) =>
        known.has(number) ? [] : [`${file}: decision ${number}`],
      ),
    );
    expect(broken).toEqual([]);
  });
});
