import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load.ts';
import { folder, path, load, problems, useRig } from './rig.ts';

useRig();

describe('a configuration file', () => {
  it('overrides the defaults, key by key', () => {
    const { config } = load('server:\n  port: 9000\n  read_timeout: 1m\nredis: {db: 2}\n');
    expect(config.server).toMatchObject({ port: 9000, read_timeout: 60_000, admin_port: 9090 });
    expect(config.redis.db).toBe(2);
  });

  it.each(['', '# nothing\n', 'server:\n', 'server:\n  port:\n', '\uFEFFserver: {}\n', '---\n{}\n'])(
    'may leave everything open: %j',
    (yaml) => {
      expect(load(yaml).config.server.port).toBe(8080);
    },
  );

  it('is an error if --config names a missing one', () => {
    expect(() => loadConfig({ path: join(folder, 'none.yaml'), env: {} })).toThrow(
      /none\.yaml: file not found/,
    );
  });

  it('is an error if it cannot be read', () => {
    expect(() => loadConfig({ path: folder, env: {} })).toThrow(/cannot be read \(EISDIR\)/);
  });

  it('reports the written keys, and their sources', () => {
    const { sources } = load('server:\n  port: 9000\nmcp:\n', { REDIS_ADDR: 'r:1' }, { redis: { db: 3 } });
    const written = ['server', 'server.port', 'redis.addr', 'redis.db'];
    const left = ['server.host', 'mcp', 'mcp.enabled', 'redis.password', 'nothing.at.all'];
    expect(written.map((key) => sources.explicitlySet(key))).toEqual(written.map(() => true));
    expect(left.map((key) => sources.explicitlySet(key))).toEqual(left.map(() => false));
    expect(sources.file).toBe(path);
    expect(sources.locate(['server', 'port'])).toBe(`${path}:2:3`);
    expect(sources.locate(['redis', 'addr'])).toBe('environment REDIS_ADDR');
    expect(sources.locate(['redis', 'db'])).toBe('command line');
  });
});

describe('the environment', () => {
  const env = {
    SERVER_PORT: '8081',
    SERVER_ADMIN_HOST: '0.0.0.0',
    SERVER_INSECURE_DEV: 'true',
    REDIS_ADDR: 'redis:6380',
    REDIS_PASSWORD: '12345',
    LOG_LEVEL: 'debug',
  };

  it('wins over the file', () => {
    const { config } = load('server: {port: 1, log_level: error}\nredis: {addr: "a:1"}\n', env);
    expect(config.server).toMatchObject({
      port: 8081,
      admin_host: '0.0.0.0',
      log_level: 'debug',
      insecure_dev: true,
    });
    expect(config.redis).toMatchObject({ addr: 'redis:6380', password: '12345' });
  });

  it('loses to the command line', () => {
    expect(load('', env, { server: { port: 7000 } }).config.server.port).toBe(7000);
  });

  it('is ignored if it is empty', () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(load('server: {port: 99}', empty).config.server).toMatchObject({ port: 99, insecure_dev: false });
  });

  it('is named if its value is invalid', () => {
    expect(
      problems('', { SERVER_PORT: '80a', LOG_LEVEL: 'loud', REDIS_ADDR: 'x', SERVER_INSECURE_DEV: 'yes' }),
    ).toEqual([
      'environment LOG_LEVEL: server.log_level: must be one of debug, info, warn, error',
      'environment REDIS_ADDR: redis.addr: must be host:port or [IPv6]:port',
      'environment SERVER_INSECURE_DEV: must be true or false',
      'environment SERVER_PORT: server.port: must be a number',
    ]);
  });

  it('is the only way to lift the TLS requirement', () => {
    expect(problems('server:\n  insecure_dev: true\n')).toEqual([
      '2:3: server.insecure_dev: can only be set by the environment variable SERVER_INSECURE_DEV',
    ]);
  });
});

describe('a section', () => {
  it('of traces may be host:port or a URL, and nothing else', () => {
    for (const endpoint of ['collector:4317', '[::1]:4317', 'https://collector.example/otlp']) {
      expect(problems(`otel:\n  endpoint: '${endpoint}'\n`)).toEqual([]);
    }
    for (const endpoint of ['', 'collector', 'ftp://collector', 'http://']) {
      expect(problems(`otel:\n  endpoint: '${endpoint}'\n`), endpoint).toEqual([
        '2:3: otel.endpoint: must be host:port, or an http:// or https:// URL',
      ]);
    }
  });

  it.each([
    ['audit:\n  required: true\n', '2:3: audit.required: '],
    ['audit:\n  file: /tmp/a\n', '2:3: audit.file: '],
  ])('of a disabled audit trail requires nothing (%j)', (text, problem) => {
    expect(problems(text)).toEqual([`${problem}needs audit.enabled: true`]);
  });
});

describe('${ENV} in a value', () => {
  it('is substituted, and becomes a number or a boolean if one is expected', () => {
    const { config } = load(
      'server: {port: "${PORT}", shadow_mode: "${SHADOW}"}\nredis: {password: "${PORT}", read_timeout: "${RT:-3s}"}\n',
      { PORT: '9001', SHADOW: 'true' },
    );
    expect(config.server).toMatchObject({ port: 9001, shadow_mode: true });
    expect(config.redis).toMatchObject({ password: '9001', read_timeout: 3_000 });
  });

  it('may be inside a text, and in a list', () => {
    const { config } = load('mcp: {servers: [{name: a, url: "https://${HOST}/${PATH_PART:-}x"}]}\n', {
      HOST: 'mcp.example',
    });
    expect(config.mcp.servers[0]?.url).toBe('https://mcp.example/x');
  });

  it('is not substituted twice, nor in key names', () => {
    const { config } = load('redis: {password: "${A}"}\npricing: {tools: {"${A}": 1}}\n', { A: '${B}' });
    expect(config.redis.password).toBe('${B}');
    expect(config.pricing.tools).toEqual({ '${A}': 1 });
  });

  it('has its default if the variable is empty, too', () => {
    expect(load('redis: {password: "${P:-x}"}', { P: '' }).config.redis.password).toBe('x');
    expect(load('redis: {password: "${P}"}', { P: '' }).config.redis.password).toBe('');
  });

  it('is literal after a dollar sign', () => {
    expect(load('redis: {password: "a$${P}$b"}').config.redis.password).toBe('a${P}$b');
  });

  it('is a problem if the variable is not set, or invalid', () => {
    expect(problems('redis:\n  password: ${NOPE}\nserver:\n  port: ${no-name}\n')).toEqual([
      '2:13: redis.password: needs the environment variable NOPE, which is not set (write ${NOPE:-default} for a default)',
      '4:9: server.port: has an invalid ${…}: write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ]);
  });
});
