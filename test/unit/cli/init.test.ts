import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { main } from '../../../cli/main.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { PRESET_NAMES } from '../../../src/policy/presets.ts';
import {
  composeText,
  configText,
  defaultAnswers,
  DEFAULT_ANSWERS,
  type Answers,
} from '../../../src/init/files.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gw-init-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function init(...flags: readonly string[]) {
  return runGateway(['init', '--directory', folder, ...flags]);
}

async function runGateway(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const stdin = Object.assign(new PassThrough(), { isTTY: false }) as unknown as NodeJS.ReadStream;
  const code = await main(args, { stdin, stdout, stderr, env });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

describe('the files that init writes', () => {
  const rows: readonly (readonly [string, Partial<Answers>])[] = [
    ['the defaults', {}],
    ['a certificate', { tls: { certFile: './a "b".crt', keyFile: './a.key' } }],
    ['no policies, no DLP, the default port of metrics', { presets: [], dlp: false, port: 9090 }],
    ['all presets', { presets: ['safety', 'pci', 'mcp_sandbox', 'zero_trust', 'safety_drift'] }],
    ['an agent', defaultAnswers('agent')],
    ['an agent without DLP', { purpose: 'agent', dlp: false }],
    ['an agent with no policies', { purpose: 'agent', presets: [] }],
    ['an agent with other presets', { purpose: 'agent', presets: ['pci', 'zero_trust'] }],
    ['an agent with all presets', { purpose: 'agent', presets: [...PRESET_NAMES] }],
  ];

  it.each(rows)('loads with %s', (_name, given) => {
    const answers = { ...DEFAULT_ANSWERS, ...given };
    const path = join(folder, 'gateway.yaml');
    writeFileSync(path, configText(answers));
    const { config } = loadConfig({ path, env: { REDIS_PASSWORD: 'p4ss', SERVER_INSECURE_DEV: 'true' } });
    expect(config).toMatchObject({
      server: {
        port: answers.port,
        dlp: { enabled: answers.dlp },
        host: answers.tls ? '0.0.0.0' : '127.0.0.1',
      },
      redis: { addr: 'localhost:6379', password: 'p4ss' },
      audit: { enabled: true },
      policy: { enabled: answers.presets.length > 0, presets: answers.presets },
    });
    expect(config.server.tls.cert_file).toBe(answers.tls?.certFile);
  });

  it.each(rows)('names rules that exist, with %s', async (_name, given) => {
    const path = join(folder, 'gateway.yaml');
    writeFileSync(path, configText({ ...DEFAULT_ANSWERS, ...given, tls: undefined }));
    const env = { REDIS_PASSWORD: 'p4ss', SERVER_INSECURE_DEV: 'true' };
    const { code, stderr } = await runGateway(['--config', path, 'config', 'check'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('for an agent: secrets are masked in both directions, and nothing locks', () => {
    const path = join(folder, 'gateway.yaml');
    writeFileSync(path, configText(defaultAnswers('agent')));
    const { config } = loadConfig({ path, env: { REDIS_PASSWORD: 'p4ss', SERVER_INSECURE_DEV: 'true' } });
    expect(config.server.dlp).toMatchObject({
      action: 'mask',
      scan_secrets: true,
      scan_pii: false,
      answer_classes: ['secret'],
      requests: 'mask',
      request_unmaskable: 'report',
    });
    expect(config.mcp.inspector).toMatchObject({ secrets: 'mask_unscored', credentials: 'mask' });
    expect(config.policy.overrides).toMatchObject({
      'safety/mask-email': 'off',
      'safety/block-credentials': 'off',
      'safety/block-sql-injection': 'report',
    });
  });

  it.each(['request_classes', 'answer_classes'])('a class in %s that is off is an error', async (list) => {
    const path = join(folder, 'gateway.yaml');
    writeFileSync(path, `server: { dlp: { enabled: true, ${list}: [secret, iban] } }\n`);
    const { code, stdout, stderr } = await runGateway(['--config', path, 'config', 'check']);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('iban is off: set server.dlp.scan_iban');
  });

  it('keep the rule about credentials if nothing else masks them', () => {
    const text = configText({ ...defaultAnswers('agent'), dlp: false });
    expect(text).not.toContain('block-credentials');
    expect(text).toContain('safety/mask-email: off');
  });

  it('mask passwords by their names: in answers, in requests, in answers of MCP servers', () => {
    const path = join(folder, 'gateway.yaml');
    writeFileSync(path, configText(DEFAULT_ANSWERS));
    const { config } = loadConfig({ path, env: { REDIS_PASSWORD: 'p4ss', SERVER_INSECURE_DEV: 'true' } });
    expect(config.server.dlp).toMatchObject({
      scan_credentials: true,
      requests: 'mask',
      request_classes: ['credentials'],
    });
    expect(config.mcp.inspector).toMatchObject({ enabled: true, credentials: 'mask' });
  });

  it('has DLP and the safety preset on', () => {
    expect(DEFAULT_ANSWERS).toMatchObject({ dlp: true, presets: ['safety'] });
  });

  it('keeps Redis from forgetting, and from everybody else', () => {
    const { services } = parse(composeText(DEFAULT_ANSWERS)) as {
      services: { redis: { command: string[]; ports: string[]; volumes: string[] } };
    };
    const { command, ports, volumes } = services.redis;
    for (const flag of [
      '--appendonly yes',
      '--maxmemory-policy noeviction',
      '--requirepass "$$REDIS_PASSWORD"',
    ]) {
      expect(command.at(-1)).toContain(flag);
    }
    expect({ ports, volumes }).toEqual({ ports: ['127.0.0.1:6379:6379'], volumes: ['redis-data:/data'] });
  });
});

describe('gateway init --yes', () => {
  it('writes four files, and describes the next steps', async () => {
    const { code, stdout } = await init('--yes');
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['.env', '.gitignore', 'docker-compose.yml', 'gateway.yaml']);
    expect(read('.env')).toMatch(/^REDIS_PASSWORD=[0-9a-f]{64}\n$/);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(
      stdout
        .split('Next:\n')[1]
        ?.trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      `docker compose -f ${folder}/docker-compose.yml up -d`,
      `gateway --config ${folder}/gateway.yaml keys create --name me --provider openai`,
      `SERVER_INSECURE_DEV=true gateway --config ${folder}/gateway.yaml serve`,
    ]);
    expect(read('.gitignore')).toBe('.env\n');
    expect(stdout).not.toContain(read('.env').slice('REDIS_PASSWORD='.length).trim());
  });

  it('writes for a chat application, or for an agent on request', async () => {
    await init('--yes');
    expect(read('gateway.yaml')).toBe(configText(defaultAnswers('chat')));
    expect((await init('--yes', '--force', '--for', 'agent')).code).toBe(0);
    expect(read('gateway.yaml')).toBe(configText(defaultAnswers('agent')));
    const wrong = await init('--yes', '--force', '--for', 'robot');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('chat, agent');
  });

  it('changes nothing when it is run again', async () => {
    await init('--yes');
    const password = read('.env');
    const { code, stdout } = await init('--yes');
    expect(code).toBe(0);
    expect(stdout.match(/unchanged/g)).toHaveLength(4);
    expect(read('.env')).toBe(password);
  });

  it('overwrites no different file without --force', async () => {
    writeFileSync(join(folder, 'gateway.yaml'), '{}\n');
    const refused = await init('--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('gateway.yaml would be overwritten; use --force');
    expect(readdirSync(folder)).toEqual(['gateway.yaml']);
    expect(read('gateway.yaml')).toBe('{}\n');
    expect((await init('--yes', '--force')).code).toBe(0);
    expect(read('gateway.yaml')).toContain('redis:');
  });

  it.each(['docker-compose.yml', 'compose.yaml'])(
    'does not change a %s of another project, even with --force',
    async (name) => {
      writeFileSync(join(folder, name), 'services: {}\n');
      const { code, stdout } = await init('--yes', '--force');
      expect(code).toBe(0);
      expect(read(name)).toBe('services: {}\n');
      expect(parse(read('docker-compose.gateway.yml'))).toMatchObject({
        name: 'ai-firewall-gateway',
        services: { redis: { image: 'redis:7' } },
      });
      expect(stdout).toContain(`docker compose -f ${folder}/docker-compose.gateway.yml up -d`);
    },
  );

  it('adds .env to a .gitignore, once', async () => {
    writeFileSync(join(folder, '.gitignore'), 'node_modules');
    await init('--yes');
    await init('--yes');
    expect(read('.gitignore')).toBe('node_modules\n.env\n');
  });

  it('prints commands for the way in which it was called', async () => {
    const args = ['init', '--yes', '--directory', join(folder, 'it s')];
    const npm = await runGateway(args, { npm_lifecycle_event: 'gateway' });
    expect(npm.stdout).toContain(`npm run -s gateway -- --config '${folder}/it s/gateway.yaml' keys create`);
    expect((await runGateway(args, { npm_command: 'exec' })).stdout).toContain('npx gateway --config');
  });

  it('extends an .env, and does not change a password in it', async () => {
    writeFileSync(join(folder, '.env'), 'OWN=1');
    expect((await init('--yes')).stdout).toContain('a line is added');
    expect(read('.env')).toMatch(/^OWN=1\nREDIS_PASSWORD=[0-9a-f]{64}\n$/);
  });

  it('writes through no link that somebody has laid', async () => {
    const elsewhere = join(folder, 'elsewhere');
    symlinkSync(elsewhere, join(folder, 'gateway.yaml'));
    expect((await init('--yes')).code).toBe(1);
    expect(readdirSync(folder)).not.toContain('elsewhere');
  });
});

describe('gateway init', () => {
  it('asks no questions without a terminal', async () => {
    const { code, stderr } = await init();
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes uses the defaults'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  /** Types into a terminal like a person: each answer when its question is shown. */
  async function typed(
    answers: readonly (readonly [question: string, keys: string])[],
    ...flags: readonly string[]
  ): Promise<string> {
    const python = `
import fcntl, json, os, pty, struct, sys, termios
answers = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 120, 0, 0))
seen = ''
while True:
    try: chunk = os.read(fd, 4096)
    except OSError: break
    if not chunk: break
    seen += chunk.decode(errors='replace')
    sys.stdout.write(chunk.decode(errors='replace'))
    if answers and answers[0][0] in seen:
        seen = ''
        os.write(fd, answers.pop(0)[1].encode())
print('EXIT', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
    const args = [
      '-c',
      python,
      JSON.stringify(answers),
      process.execPath,
      MAIN,
      'init',
      '--directory',
      folder,
      ...flags,
    ];
    const child = spawn('python3', args, { env: { PATH: process.env['PATH'], TERM: 'xterm', HOME: folder } });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(child, 'close');
    return output;
  }

  const QUESTIONS = [
    ['Chat application or coding agent?', '\r'],
    ['Which port', '8099\r'],
    ['TLS certificate', '\r'],
    ['Which policy presets', '\r'],
    ['answers?', '\r'],
  ] as const;

  it('asks on a terminal, shows its plan, and writes', async () => {
    const output = await typed([...QUESTIONS, ['Write these files', '\r']]);
    expect(output).toContain('EXIT 0');
    expect(read('gateway.yaml')).toContain('port: 8099');
    expect(read('gateway.yaml')).toContain('presets: [safety]');
  });

  it('asks for the purpose, and skips questions that a flag answers', async () => {
    const [, ...others] = QUESTIONS;
    const down = '\x1b[B';
    const answered = [['Chat application or coding agent?', `${down}\r`], ...others] as const;
    expect(await typed([...answered, ['Write these files', '\r']])).toContain('EXIT 0');
    expect(read('gateway.yaml')).toBe(configText({ ...defaultAnswers('agent'), port: 8099 }));
    rmSync(join(folder, 'gateway.yaml'));
    const told = await typed([...others, ['Write these files', '\r']], '--for', 'agent');
    expect(told).toContain('EXIT 0');
    expect(told).not.toContain('Chat application');
    expect(read('gateway.yaml')).toBe(configText({ ...defaultAnswers('agent'), port: 8099 }));
  });

  it('writes nothing if the person declines', async () => {
    writeFileSync(join(folder, 'gateway.yaml'), '{}\n');
    const output = await typed([...QUESTIONS, ['Overwrite gateway.yaml?', '\r']]);
    expect(output).toContain('nothing was written');
    expect(output).toContain('EXIT 1');
    expect(read('gateway.yaml')).toBe('{}\n');
    expect(await typed([['Chat application', '\x03']])).toContain('EXIT 1');
  });
});
