import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';

import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';

import { main } from '../../../cli/main.ts';
import { createProgram } from '../../../cli/run.ts';

async function printed(...args: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const code = await main(args, { stdin: process.stdin, stdout, stderr: new PassThrough(), env: {} });
  expect(code).toBe(0);
  return String(stdout.read());
}

function io() {
  return { stdin: process.stdin, stdout: new PassThrough(), stderr: new PassThrough(), env: {} };
}

function leaves(
  command: Command,
  path: readonly string[] = [],
): { readonly path: string; readonly command: Command }[] {
  const below = command.commands.filter((one) => one.name() !== 'help');
  if (below.length === 0) return [{ path: path.join(' '), command }];
  return below.flatMap((one) => leaves(one, [...path, one.name()]));
}

const COMMANDS = leaves(await createProgram([], io()));

describe('the help', () => {
  it('knows every command that is promised', () => {
    expect(COMMANDS.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'init',
        'serve',
        'doctor',
        'keys create',
        'keys list',
        'keys revoke',
        'budget set',
        'budget status',
        'exec',
        'verify',
      ]),
    );
  });

  it.each(COMMANDS)('of $path describes it, with an example that calls it', async ({ path, command }) => {
    expect(command.description()).toMatch(/\w{3,}/);
    for (const option of command.options) expect(option.description, option.flags).not.toBe('');
    const help = await printed(...path.split(' '), '--help');
    expect(help).toMatch(/\nExamples?:\n/);
    expect(help.split(/\nExamples?:\n/)[1]).toMatch(new RegExp(`\\$ .*gateway (--?\\S+ (\\S+ )?)*${path}`));
  });
});

describe('the help of the program', () => {
  it('groups its commands, names keys by their names, and omits no command', async () => {
    const help = await printed('--help');
    const headings = help.match(/^[A-Z].*:$/gm);
    expect(headings).toEqual([
      'Options:',
      'Start:',
      'Keys and money:',
      'Risk and approvals:',
      'Records:',
      'Policies and detectors, offline:',
      'Configuration and setup:',
      'Examples:',
    ]);
    for (const { path } of COMMANDS) expect(help).toMatch(new RegExp(`^  ${path.split(' ')[0]} `, 'm'));
    expect(help).not.toContain('sha256:');
  });
});

describe('the options of commands', () => {
  const optionsOf = (path: string) =>
    COMMANDS.find((one) => one.path === path)?.command.options.filter(({ hidden }) => !hidden) ?? [];

  it.each([
    ['keys create'],
    ['keys update'],
    ['keys revoke'],
    ['keys rotate'],
    ['budget set'],
    ['sessions end'],
    ['risk reset'],
    ['quarantine set'],
    ['quarantine release'],
    ['escalations approve'],
    ['escalations deny'],
    ['mcp pins accept'],
    ['ui tokens create'],
    ['ui tokens revoke'],
  ])('%s takes --as and --reason, since it changes something', (path) => {
    expect(optionsOf(path).map(({ long }) => long)).toEqual(expect.arrayContaining(['--as', '--reason']));
  });

  it('choose the format by --output only, and show a default as written', () => {
    for (const { path } of COMMANDS) {
      const options = optionsOf(path);
      expect(options.map(({ long }) => long)).not.toContain('--format');
      expect(options.map(({ long }) => long)).not.toContain('--json');
      for (const { defaultValue, defaultValueDescription, flags } of options)
        if (flags.includes('<duration>') && defaultValue !== undefined)
          expect(defaultValueDescription, `${path} ${flags}`).toMatch(/^\d+[smhd]$|immediately/);
    }
  });
});

/** Bash's suggestions after a line. */
function offered(script: string, line: string): readonly string[] {
  const words = line.split(' ');
  const ask = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length - 1)}
_gateway; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask], { encoding: 'utf8' }).trim().split('\n');
}

describe('gateway completion', () => {
  it('completes commands, options and choices in bash', async () => {
    const script = await printed('completion', 'bash');
    expect(offered(script, 'gateway k')).toEqual(['keys']);
    expect(offered(script, 'gateway keys cr')).toEqual(['create']);
    expect(offered(script, 'gateway --config f.yaml keys create --prov')).toEqual(['--provider']);
    expect(offered(script, 'gateway keys create --provider open')).toEqual(['openai', 'openrouter']);
    expect(offered(script, 'gateway exec -- bas')).toContain('bash');
  });

  it('offers every command in every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = await printed('completion', shell);
      for (const { path } of COMMANDS) expect(script).toContain(path.split(' ').at(-1));
    }
  });
});
