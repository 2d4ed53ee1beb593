import { describe, expect, it } from 'vitest';
import { problems, useRig } from './rig.ts';

useRig();

describe('the errors of a file', () => {
  it('are reported together, in the order of the file', () => {
    const yaml = [
      'server:',
      '  prot: 80',
      '  read_timeout: 30',
      '  log_level: loud',
      '  extproc:',
      '    address: 0.0.0.0:99',
      'redis:',
      '  addr: nonsense',
      '  read_timeout: 40s',
      '  db: -1',
      'mcp:',
      '  servers:',
      '    - url: ftp://x',
      '    - {name: a, url: https://a.example}',
      'max_payload_bytes: 3',
      'pricing:',
      '  overrides:',
      '    gpt-x: {inptu: 3, input: "free"}',
      'session: none',
    ].join('\n');
    expect(problems(yaml)).toEqual([
      '2:3: server.prot: unknown key; did you mean port?',
      '3:3: server.read_timeout: must be a duration such as 250ms, 30s, 5m, 1h or 1h30m',
      '4:3: server.log_level: must be one of debug, info, warn, error',
      expect.stringMatching(/^6:5: server\.extproc\.address: over TCP needs mutual TLS/),
      '8:3: redis.addr: must be host:port or [IPv6]:port',
      expect.stringMatching(/^9:3: redis\.read_timeout: must be at most 29\.5s/),
      '10:3: redis.db: must be at least 0',
      '13:7: mcp.servers.0.name: must be a string',
      '13:7: mcp.servers.0.url: must be an http:// or https:// URL',
      '15:1: max_payload_bytes: unknown key here; did you mean server.max_payload_bytes?',
      '18:13: pricing.overrides.gpt-x.inptu: unknown key; did you mean input?',
      '18:23: pricing.overrides.gpt-x.input: must be a number',
      '19:1: session: must be a mapping',
    ]);
  });

  it.each([
    ['server: {maxPayloadBytes: 1}', /did you mean max_payload_bytes\?/],
    ['server: {admin-port: 1}', /did you mean admin_port\?/],
    ['serve: {}', /unknown key; did you mean server\?/],
    ['providers: {opnai: {}}', /did you mean openai\?/],
    ['providers: {openai: {deployments: {}}}', /did you mean providers\.azure\.deployments\?/],
    ['zzzzzzzzzz: 1', /unknown key$/],
    ['server: {tls: {cert: a}}', /unknown key/],
  ])('names the nearest known key: %s', (yaml, message) => {
    expect(problems(yaml)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['a: [1', /not valid YAML/],
    ['server: {}\nserver: {}', /2:1: not valid YAML: duplicate key/],
    ['- a list', /1:1: must be a mapping/],
    ['just text', /1:1: must be a mapping/],
    ['server: *nothing', /not valid YAML|alias/],
    ['%YAML 1.1\n---\nserver: {<<: 1}', /not valid YAML: a merge key/],
  ])('describe broken YAML: %s', (yaml, message) => {
    expect(problems(yaml).join('\n')).toMatch(message);
  });

  it('bounds aliases that multiply', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let depth = 1; depth < 8; depth++) {
      const last = String.fromCharCode(96 + depth);
      const name = String.fromCharCode(97 + depth);
      bomb.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${last}`).join(',')}]`);
    }
    expect(problems(bomb.join('\n')).join('\n')).toMatch(/too many YAML aliases/);
  });

  it('never shows a value, which may be a secret', () => {
    const secret = 'hunter2-hunter2';
    const yaml = `redis: {password: [${secret}], addr: ${secret}}\nserver: {extproc: {token: [${secret}]}, port: ${secret}}\nproviders: {openai: {base_url: "https://${secret}@x"}}\n`;
    const said = problems(yaml).join('\n');
    expect(said.split('\n')).toHaveLength(5);
    expect(said).not.toContain(secret);
  });
});
