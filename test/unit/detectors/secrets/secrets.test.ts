import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { MAX_SECRET_CHARS, secretRules } from '../../../../src/detectors/secrets/rules.ts';
import { STEP_CHARS } from '../../../../src/detectors/secrets/search.ts';
import { findSecrets, findSecretsAll } from '../../../../src/detectors/secrets/secrets.ts';
import { makeSecret, secretSamples, seededRandom } from './samples.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';

const DRAWS = 20;
const rules = secretRules.map((rule) => rule.id);
const heads = secretRules.filter((rule) => rule.anchor === 'head');

function spansOf(text: string): { rule: string; found: string }[] {
  return findSecrets(text).map(({ rule, start, end }) => ({ rule, found: text.slice(start, end) }));
}

describe('every rule', () => {
  it('has a sample, and only rules have', () => {
    expect(Object.keys(secretSamples).toSorted()).toEqual(rules.toSorted());
  });

  it.each(rules)('%s finds its secret whole, in prose and in code', (rule) => {
    const random = seededRandom(rules.indexOf(rule));
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { text, secret } = makeSecret(rule, random);
      for (const around of [text, `Mine is ${text}, keep it.`, `run("${text}");\n`, `a\n  ${text}\nb`]) {
        expect(spansOf(around)).toContainEqual({ rule, found: secret });
      }
    }
  });

  it.each(rules)('%s: no secret is left when JSON wrote it, once or twice, with any escapes', (rule) => {
    const random = seededRandom(1000 + rules.indexOf(rule));
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { text, secret } = makeSecret(rule, random);
      const once = JSON.stringify({ a: `line\n${text}\n` });
      const escaped = once.replaceAll('-', String.raw`\u002d`).replaceAll('/', String.raw`\/`);
      const twice = JSON.stringify({ arguments: once });
      expect(JSON.stringify(JSON.parse(maskSecrets(once)))).not.toContain(
        JSON.stringify(secret).slice(1, -1),
      );
      expect(JSON.parse(maskSecrets(escaped)).a).not.toContain(secret);
      expect(JSON.parse(JSON.parse(maskSecrets(twice)).arguments).a).not.toContain(secret);
    }
  });

  it.each(rules.filter((rule) => !/jwt|pem/.test(rule)))(
    '%s takes neither its beginning nor a placeholder',
    (rule) => {
      const random = seededRandom(2000 + rules.indexOf(rule));
      const { text, secret } = makeSecret(rule, random);
      const foundByRule = (changed: string): unknown[] =>
        spansOf(text.replace(secret, changed)).filter((span) => span.rule === rule);
      expect(foundByRule(secret.slice(0, Math.min(12, secret.length / 2)))).toEqual([]);
      expect(foundByRule(secret.slice(0, 4) + secret.slice(4).replaceAll(/[A-Za-z0-9]/g, 'x'))).toEqual([]);
    },
  );

  it.each(heads.filter((rule) => rule.followsWord === undefined))(
    '$id does not begin in the middle of a word',
    ({ id }) => {
      const { secret } = makeSecret(id, seededRandom(3));
      expect(spansOf(`word${secret}`).filter((span) => span.found === secret)).toEqual([]);
    },
  );

  it.each(heads.filter((rule) => rule.followsWord !== undefined))(
    '$id is found right behind a word that announces it, not behind other letters',
    ({ id }) => {
      const random = seededRandom(3);
      for (let draw = 0; draw < DRAWS; draw += 1) {
        const { text, secret } = makeSecret(id, random);
        for (const word of ['key', 'TOKEN', 'myApiKey', 'Secret', 'is', 'the ', 'a=b&key'])
          expect(spansOf(`${word}${text} x`)).toContainEqual({ rule: id, found: secret });
        if (secret.startsWith('-')) continue;
        for (const other of ['x', '7', 'word', 'key7', '3key', 'aB3dE5fG', `${'w'.repeat(22)}key`])
          expect(spansOf(`${other}${text} x`).filter(({ found }) => found === secret)).toEqual([]);
      }
    },
  );

  it.each(heads.filter((rule) => rule.precedesWord !== undefined))(
    '$id is found right before a short word, not where it goes on',
    ({ id }) => {
      const random = seededRandom(4);
      for (let draw = 0; draw < DRAWS; draw += 1) {
        const { text, secret } = makeSecret(id, random);
        for (const word of ['and', 'is', 'please'])
          expect(maskSecrets(`${text}${word} it`)).not.toContain(secret);
        for (const more of ['x', 'WXYZ', 'aB3', 'x7', 'somewhatlonger'])
          expect(spansOf(`${text}${more}`).filter(({ found }) => found === secret)).toEqual([]);
      }
    },
  );

  it.each(rules)('%s: no secret is longer than the window it names', (rule) => {
    const { text } = makeSecret(rule, seededRandom(4));
    const maxChars = secretRules.find(({ id }) => id === rule)?.maxChars ?? 0;
    expect(text.length).toBeLessThanOrEqual(maxChars + 64);
    expect(maxChars).toBeLessThanOrEqual(MAX_SECRET_CHARS);
  });
});

/** The text as tools print files: a number before every line but the first. */
function numbered(text: string, before: (line: number) => string): string {
  return text
    .split('\n')
    .map((line, at) => (at === 0 ? line : before(at + 1) + line))
    .join('\n');
}

describe('private keys', () => {
  const random = seededRandom(5);
  const { secret: pem } = makeSecret('pem_private_key', random);
  const kinds = ['RSA', 'EC', 'DSA', 'OPENSSH', 'ENCRYPTED'];

  it.each(kinds)('of kind %s are found', (kind) => {
    const key = pem.replaceAll('PRIVATE KEY', `${kind} PRIVATE KEY`);
    expect(spansOf(`> ${key}\n`)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it('are found with the headers of old encryption', () => {
    const key = pem.replace(
      '-----\n',
      '-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n',
    );
    expect(spansOf(key)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it.each([
    ['quoted', '\n> '],
    ['in a comment', '\n// '],
    ['on one line', ' '],
    ['as strings in source code', '\\n" +\n  "'],
    ['in a list of JSON', '","'],
  ])('are found with these headers %s', (_how, lineBreak) => {
    const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n';
    const key = pem.replace('-----\n', `-----\n${headers}`).replaceAll('\n', lineBreak);
    expect(maskSecrets(`> ${key}\n`)).toBe('> ***\n');
  });

  it('are found as PGP blocks', () => {
    const key = pem
      .replaceAll('PRIVATE KEY', 'PGP PRIVATE KEY BLOCK')
      .replace('-----\n', '-----\nVersion: GnuPG v2\n\n')
      .replace('\n-----END', '\n=aB3d\n-----END');
    expect(spansOf(key)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it.each([
    ['on one line', pem.replaceAll('\n', ' ')],
    ['with Windows line ends', pem.replaceAll('\n', '\r\n')],
    ['as strings in source code', pem.replaceAll('\n', '" +\n  "')],
    ['indented', pem.replaceAll('\n', '\n    ')],
    ['in comments', pem.replaceAll('\n', '\n// ')],
    ['with line breaks of HTML', pem.replaceAll('\n', '<br />\n')],
    ['in numbered lines', numbered(pem, (line) => `${String(line).padStart(6)}\t`)],
    ['in numbered lines with arrows', numbered(pem, (line) => `${String(line).padStart(5)}→`)],
    ['in numbered lines with colons', numbered(pem, (line) => `${String(line)}: `)],
  ])('are found %s', (_how, key) => {
    expect(spansOf(key)).toEqual([{ rule: 'pem_private_key', found: key }]);
  });

  it('are masked when cut short at any place, and the prose behind stays', () => {
    const body = pem.slice(0, pem.indexOf('\n-----END'));
    for (let length = 80; length <= body.length; length += 1) {
      expect(maskSecrets(body.slice(0, length)).trimEnd()).toBe('***');
    }
    expect(maskSecrets(`${body.slice(0, 92)} and so on.`)).toBe('*** and so on.');
  });

  it('are not: a public key, a certificate, a header alone, words between the lines', () => {
    for (const text of [
      pem.replaceAll('PRIVATE', 'PUBLIC'),
      pem.replaceAll('PRIVATE KEY', 'CERTIFICATE'),
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\nput it here\n-----END PRIVATE KEY-----',
    ]) {
      expect(spansOf(text)).toEqual([]);
    }
  });
});

describe('tokens of JSON', () => {
  const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = segment({ sub: 'someone', iat: 1_700_000_000 });

  it('are found unsecured, and encrypted in five parts', () => {
    const unsecured = `${segment({ alg: 'none' })}.${payload}.`;
    const encrypted = `${segment({ alg: 'dir', enc: 'A256GCM' })}..48V1_ALb6US04U3b.${'aZ9'.repeat(20)}.XFBoMYUZodetZdvT`;
    expect(spansOf(unsecured)[0]?.found).toBe(unsecured);
    expect(spansOf(`t=${encrypted}&x`)[0]?.found).toBe(encrypted);
  });

  it('are found encoded once more, with lines wrapped', () => {
    const token = Buffer.from(
      `${segment({ alg: 'RS256', kid: 'k1' })}.${payload}.${'q8Z'.repeat(60)}`,
    ).toString('base64');
    const wrapped = token.replaceAll(/(.{64})(?=.)/g, '$1\n');
    expect(maskSecrets(`token: ${wrapped}\n`)).toBe('token: ***\n');
  });

  it('are found with a long header, and JSON in base64 that only looks like one is not', () => {
    const chain = Array.from({ length: 100 }, (_, at) => at * 7919).join('');
    const token = (header: unknown): string => `${segment(header)}.${payload}.${'q8Z'.repeat(15)}`;
    expect(spansOf(token({ alg: 'RS256', x5c: [chain] }))[0]?.found).toBe(
      token({ alg: 'RS256', x5c: [chain] }),
    );
    expect(spansOf(token({ items: [chain] }))).toEqual([]);
  });

  it('are found in the plain alphabet of base64, padded', () => {
    const plain = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
    const token = [plain({ alg: 'RS256' }), plain({ sub: 'ÿÿÿ>>>???', iat: 17 }), 'q8Z'.repeat(15)].join('.');
    expect(token).toMatch(/[+/].*=\./);
    expect(spansOf(`"${token}"`)[0]?.found).toBe(token);
  });

  it('are not: a header alone, a header that is no JSON', () => {
    expect(spansOf(segment({ alg: 'HS256', typ: 'JWT' }))).toEqual([]);
    expect(spansOf(`eyJbroken${payload}.${payload}.${payload}`)).toEqual([]);
  });
});

describe('look-alikes', () => {
  const random = seededRandom(6);
  const bytes = Buffer.from(Array.from({ length: 4000 }, () => Math.floor(random() * 256)));
  it.each([
    ['a digest of a lock file', `"integrity": "sha512-${bytes.subarray(0, 64).toString('base64')}"`],
    ['a git commit', `commit ${bytes.subarray(0, 20).toString('hex')}`],
    ['a UUID', 'clientId = "6f1c1e6a-9d2b-4c7e-8a53-0d9a6b1f2c3d"'],
    ['an image', `![](data:image/png;base64,${bytes.toString('base64')})`],
    ['base64url', bytes.toString('base64url')],
    [
      'names in code',
      'const 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 = gsk_settings.sk_live_reload_enabled_by_default;',
    ],
    [
      'words',
      'disk-encryption, task-sk-learn, gw-begin-string-update-buffer-begin-index-user, ASIANDEVELOPMENTBANKS, ASIANDEVELOPMENTBANK',
    ],
    [
      'variables',
      'key: ${process.env.OPENAI_API_KEY}, Bearer {token}, cohere_api_key = os.environ["COHERE_API_KEY"]',
    ],
    [
      'a manual’s example',
      'AKIAIOSFODNN7EXAMPLE and aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    ],
    ['a hash behind a provider’s name', 'mistral: d41d8cd98f00b204e9800998ecf8427e'],
    ['prefixes alone', 'ghp_ glpat- xoxb- sk-ant-api03- npm_ hvs. AKIA AIza eyJ'],
  ])('%s is no secret', (_what, text) => {
    expect(spansOf(text)).toEqual([]);
  });
});

describe('tokens and what stands right beside them', () => {
  const random = seededRandom(17);
  const mixed = 'aB3dE5fGh7kLmN9pQrS2tUvW4xYz8cJ'.repeat(4);

  it.each(['github_token', 'aws_access_key_id', 'groq_api_key'])(
    '%s is found in italics and in bold of underscores, not in a longer name',
    (rule) => {
      const { secret } = makeSecret(rule, random);
      expect(maskSecrets(`_${secret}_ or __${secret}__.`)).toBe('_***_ or __***__.');
      expect(spansOf(`${secret}_old`)).toEqual([]);
    },
  );

  it.each([
    ['aws_access_key_id', 'and'],
    ['aws_temporary_access_key_id', 'and'],
    ['octopus_key', 'and'],
    ['twilio_key', 'and'],
    ['databricks_token', 'to'],
    ['elevenlabs_key', 'X'],
    ['deepseek_api_key', 'Key'],
  ])('%s ends where a letter stands that it has none of: %s', (rule, word) => {
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { secret } = makeSecret(rule, random);
      expect(maskSecrets(`mine is ${secret}${word} more`)).toBe(`mine is ***${word} more`);
    }
  });

  it.each([
    ['an id with a letter more', 'aws_access_key_id', 'Q'],
    ['an id with a digit more', 'aws_access_key_id', '7'],
    ['hexadecimal digits that go on', 'twilio_key', 'beef'],
  ])('%s is none', (_what, rule, more) => {
    const { secret } = makeSecret(rule, random);
    expect(spansOf(`${secret}${more}`)).toEqual([]);
  });

  it('names in code are none, before which or in which a beginning stands', () => {
    for (const name of [
      'npm_configRegistryFetchRetryMaximumTimeoutMilliseconds',
      'mygsk_settingsOfTheWorkspaceThatEverybodySharesWithTheOthers',
      'EURASIANDEVELOPMENTBANK',
      'SLOVAKIANDEVELOPMENTFUNDS',
      'tokenghp_whatEverybodyCallsThePersonalAccessToken',
    ])
      expect(spansOf(name)).toEqual([]);
  });

  it('a bot of Telegram is found in the address of its interface', () => {
    const { secret } = makeSecret('telegram_bot_token', random);
    expect(maskSecrets(`https://api.telegram.org/bot${secret}/getMe`)).toBe(
      'https://api.telegram.org/bot***/getMe',
    );
    expect(spansOf(`robot${secret}`)).toEqual([]);
  });

  it('a token of GitLab is found that is made of words', () => {
    const token = ['glpat', 'testing', 'testing3else'].join('-');
    expect(spansOf(token)).toEqual([{ rule: 'gitlab_token', found: token }]);
  });

  it.each([
    ['a key of Anthropic', `sk-ant-api03-${mixed.slice(0, 70)}AA`],
    ['a token of Notion', `ntn_${mixed.slice(0, 46)}`],
    ['a macaroon of Fly', `fm2_${mixed.slice(0, 60)}`],
    ['base64 that begins as a token of Square does', `EAAA${mixed.slice(0, 60)}/aB3d`],
    ['base64 that begins as a token of Facebook does', `EAAB${mixed.slice(0, 100)}+aB3d`],
  ])('%s is none that is too short or goes on', (_what, text) => {
    expect(spansOf(text)).toEqual([]);
  });
});

describe('ids and tokens that hold few digits', () => {
  it.each(['ASIA', 'ABIA', 'ACCA'])('are found behind %s without any, where no words are', (prefix) => {
    const id = `${prefix}${'HBWTLRMK'}${'ANDGPSFC'}`;
    expect(spansOf(`id: ${id}.`).map(({ found }) => found)).toEqual([id]);
  });

  it('are found with digits alone in four groups of Slack, not in three', () => {
    const groups = ['xoxs', '3472098910', '4382517429', '5069359254', '9319657024'];
    expect(spansOf(groups.join('-')).map(({ found }) => found)).toEqual([groups.join('-')]);
    expect(spansOf(groups.slice(0, 4).join('-'))).toEqual([]);
  });

  it('are found in workspaces of Slack', () => {
    const token = ['xoxa', '2', 'qzu8gueop0zkt7nubdv'].join('-');
    expect(spansOf(`t=${token}`).map(({ found }) => found)).toEqual([token]);
  });
});

describe('findSecrets', () => {
  it('finds a secret at any offset of a prose, and the mask removes it', () => {
    const random = seededRandom(7);
    const prose = 'It was late, and “nobody” had read the log: 漢字 🙂 \\n {"a": 1}\n';
    for (let offset = 0; offset <= prose.length; offset += 1) {
      const { text, secret } = makeSecret(rules[offset % rules.length] ?? '', random);
      const around = `${prose.slice(0, offset)} ${text} ${prose.slice(offset)}`;
      expect(maskSecrets(around)).not.toContain(secret);
    }
  });

  it('finds what stands behind a percent-encoded sign', () => {
    const { secret } = makeSecret('anthropic_api_key', seededRandom(8));
    expect(maskSecrets(`q=key%3D${secret}`)).toBe('q=key%3D***');
  });

  it('gives findings in order, none inside another, and knows no class but secret', () => {
    const random = seededRandom(9);
    const text = rules.map((rule) => makeSecret(rule, random).text).join('\n');
    const findings = findSecrets(text);
    expect(findings.length).toBeGreaterThanOrEqual(rules.length);
    for (const [index, finding] of findings.entries()) {
      expect(finding).toMatchObject({ detector: 'secrets', class: 'secret' });
      expect(finding.end).toBeGreaterThan(findings[index - 1]?.end ?? 0);
    }
  });

  it('leaves nothing to find in what it masked', () => {
    const random = seededRandom(10);
    const text = rules.map((rule) => makeSecret(rule, random).text).join(' ');
    expect(findSecrets(maskSecrets(text))).toEqual([]);
  });

  it('throws for no text', () => {
    const random = seededRandom(11);
    const pieces = [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'sk-',
      '\\',
      '\\u00',
      '\ud800',
      '"',
      '\0',
      'Q~',
      ':AA',
      '=',
    ];
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: 40 }, () => pieces[Math.floor(random() * pieces.length)]).join('');
      expect(() => findSecrets(text)).not.toThrow();
    }
  });

  it('finds a secret behind a keyword that is repeated without a space', () => {
    const { secret } = makeSecret('gitlab_token', seededRandom(12));
    expect(maskSecrets(`${'glpat-'.repeat(3)}${secret}`)).not.toContain(secret.slice(6));
  });

  it('finds the same wherever a long text is parted into steps', () => {
    const random = seededRandom(14);
    for (const rule of rules) {
      const text = ` ${makeSecret(rule, random).text} `;
      const expected = findSecrets(text);
      for (const at of [0, 1, 30, 36, 37, 60, text.length - 1]) {
        const before = ' '.repeat(STEP_CHARS - at);
        const moved = findSecrets(before + text + before).map(({ start, end, ...kind }) => ({
          ...kind,
          start: start - before.length,
          end: end - before.length,
        }));
        expect(moved).toEqual(expected);
      }
    }
  });

  it('finds a later secret in a run that is longer than one may be', () => {
    const { secret } = makeSecret('bedrock_short_lived_api_key', seededRandom(15));
    const run = `${secret}/${'aB3/'.repeat(2500)}${secret}`;
    expect(maskSecrets(`key ${run} end`)).not.toContain(secret.slice(16));
  });

  it('gives findings that do not overlap', () => {
    const { secret } = makeSecret('gitlab_token', seededRandom(16));
    const text = `${`${secret}-`.repeat(12)}${secret}, x`;
    const spans = findSecrets(text).map(({ start, end }) => [start, end]);
    expect(spans.flat()).toEqual(spans.flat().toSorted((a, b) => a - b));
    expect(maskSecrets(text)).toBe('***, x');
  });

  it('takes linear time for what is made to be slow', () => {
    const hostile = [
      'glpat-',
      '-sk-ant-api03-',
      '/fm2_',
      'T3BlbkFJ',
      'ey',
      '\\n',
      '\\',
      'a',
      '-----BEGIN PRIVATE KEY-----',
    ];
    const times = hostile.map((piece) => {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      return quickestCpuMs(() => findSecrets(text), 1);
    });
    expect(Math.max(...times)).toBeLessThan(1000);
  });
});

describe('findSecretsAll', () => {
  it('gives for every text what findSecrets gives', async () => {
    const random = seededRandom(13);
    const long = Array.from(
      { length: 400 },
      (_, at) => makeSecret(rules[at % rules.length] ?? '', random).text,
    ).join(' .\n');
    const texts = ['', 'nothing', long, JSON.stringify(long)];
    expect(await findSecretsAll(texts)).toEqual(texts.map((text) => findSecrets(text)));
  });

  it('lets others run between the steps of a long text', async () => {
    let turns = 0;
    function count(): void {
      turns += 1;
      turn = setImmediate(count);
    }
    let turn = setImmediate(count);
    await findSecretsAll(['ordinary words, '.repeat(60_000)]);
    clearImmediate(turn);
    expect(turns).toBeGreaterThan(50);
  });
});
