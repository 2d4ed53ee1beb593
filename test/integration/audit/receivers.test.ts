import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openReceivers } from '../../../src/audit/open-receivers.ts';
import { startAudit } from '../../../src/audit/start-audit.ts';
import { configSchema, type ConfigInput } from '../../../src/config/schema.ts';
import { createTestCa } from '../../support/certs.ts';
import { parsed } from '../../support/exchange.ts';
import { startOtlpLogReceiver, type OtlpLogReceiver } from '../../support/otlp-log-receiver.ts';
import { useTestRedis } from '../../support/redis.ts';
import { startSyslogServer, type SyslogServer } from '../../support/syslog-server.ts';
import { telemetryRig } from '../../support/telemetry-rig.ts';

const SECRET = 'Bearer token-of-the-collector';
const CLOSED_PORT = 1;

const redis = useTestRedis();
const closing: (() => Promise<void>)[] = [];

const ca = await createTestCa();
afterAll(() => ca.close());
const server = await ca.issue('receiver', ['localhost']);
const client = await ca.issue('gateway-client');
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function syslogServer(port = 0): Promise<SyslogServer> {
  const tls = { cert: server.cert, key: server.key, ca: ca.ca, requestCert: true, rejectUnauthorized: false };
  const started = await startSyslogServer(tls, port);
  closing.push(() => started.close());
  return started;
}

async function otlpReceiver(port = 0): Promise<OtlpLogReceiver> {
  const started = await startOtlpLogReceiver({ cert: server.cert, key: server.key }, port);
  closing.push(() => started.close());
  return started;
}

/** A trail that sends to these receivers, and its log. */
async function trail(audit: NonNullable<ConfigInput['audit']>) {
  const { lines: _, ...made } = await telemetryRig({
    audit: { enabled: true, stdout: false, ...audit },
    redis: { addr: redis.addr },
  });
  const logged: string[] = [];
  const note = (...said: unknown[]) => void logged.push(JSON.stringify(said));
  const opened = await startAudit({ ...made, log: { error: note, warn: note } });
  let isOpen = true;
  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await opened.close();
    made.redis.disconnect();
  }
  closing.push(close);
  async function counted(sink: string, outcome: string): Promise<number> {
    const { values } = await made.metrics.auditRecords.get();
    return values.find(({ labels }) => labels.sink === sink && labels.outcome === outcome)?.value ?? 0;
  }
  return {
    logged,
    counted,
    close,
    record: (requestId: string) =>
      opened.observer.forwarding({ ...parsed({ body: { model: 'gpt-4o', messages: [] } }), requestId }),
  };
}

const idsOf = ({ messages }: SyslogServer): string[] => messages.map(({ text }) => idOf(JSON.parse(text)));
const idOf = (body: unknown): string =>
  (body as { metadata: { correlation_uid: string } }).metadata.correlation_uid;

describe('records over syslog', () => {
  it('are messages of RFC 5424 over TLS, with the record as their text', async () => {
    const receiver = await syslogServer();
    const { record, counted } = await trail({
      syslog: {
        address: receiver.address,
        ca_file: ca.caFile,
        cert_file: client.certFile,
        key_file: client.keyFile,
      },
    });
    for (const id of ['r-1', 'r-ü', 'r-3']) record(id);
    await expect.poll(() => idsOf(receiver)).toEqual(['r-1', 'r-ü', 'r-3']);
    expect(receiver.broken).toEqual([]);
    expect(receiver.clients).toEqual(['gateway-client']);
    expect(receiver.messages[0]).toMatchObject({
      priority: 13 * 8 + 6,
      app: 'ai-firewall-gateway',
      id: 'api_activity',
      structuredData: '-',
    });
    const { time } = JSON.parse(receiver.messages[0]?.text ?? '') as { time: number };
    expect(Date.parse(receiver.messages[0]?.time ?? '')).toBe(time);
    expect(await counted('syslog', 'written')).toBe(3);
  });

  it('are sent again when the connection breaks, and wait while the receiver is down', async () => {
    const receiver = await syslogServer();
    const { record, counted } = await trail({
      syslog: { address: receiver.address, ca_file: ca.caFile },
    });
    record('r-before');
    await expect.poll(() => idsOf(receiver)).toEqual(['r-before']);
    await receiver.close();
    record('r-away-1');
    record('r-away-2');
    const back = await syslogServer(receiver.port);
    // The receiver may have lost the last records before it closed.
    await expect.poll(() => idsOf(back), { timeout: 10_000 }).toEqual(['r-before', 'r-away-1', 'r-away-2']);
    back.drop();
    await expect.poll(() => counted('syslog', 'written')).toBe(3);
    record('r-after');
    await expect.poll(() => idsOf(back), { timeout: 10_000 }).toContain('r-after');
    expect(await counted('syslog', 'dropped')).toBe(0);
  });
});

describe('records over OTLP', () => {
  it('are logs whose bodies are the records, sent with the configured headers', async () => {
    const receiver = await otlpReceiver();
    const { record, counted, logged } = await trail({
      otlp: { endpoint: receiver.url, headers: { Authorization: SECRET }, ca_file: ca.caFile },
    });
    record('r-1');
    record('r-2');
    await expect.poll(() => receiver.logs.map(({ body }) => idOf(body))).toEqual(['r-1', 'r-2']);
    const [first] = receiver.logs;
    expect(first).toMatchObject({
      severity: 9,
      eventName: 'gateway.audit',
      service: 'ai-firewall-gateway',
      body: { class_uid: 6003, actor: { user: { name: 'test key' } }, unmapped: { stage: 'forwarding' } },
    });
    expect(Math.round(first?.unixMs ?? 0)).toBe((first as { body: { time: number } }).body.time);
    expect(receiver.headers[0]?.authorization).toBe(SECRET);
    await expect.poll(() => counted('otlp', 'written')).toBe(2);
    expect(logged).toEqual([]);
  });

  it('are kept and sent once the receiver accepts them', async () => {
    const receiver = await otlpReceiver();
    const { record, counted, logged } = await trail({
      otlp: { endpoint: receiver.url, headers: { Authorization: SECRET }, ca_file: ca.caFile },
    });
    receiver.answer.status = 401;
    record('r-1');
    await expect.poll(() => logged.join()).toMatch(/the receiver answered 401/);
    expect(logged.join()).not.toMatch(/secret|token-of/);
    receiver.answer.status = 200;
    await expect
      .poll(() => receiver.logs.map(({ body }) => idOf(body)), { timeout: 10_000 })
      .toEqual(['r-1']);
    expect(await counted('otlp', 'dropped')).toBe(0);
  });

  it('count as lost if the receiver refuses them permanently', async () => {
    const receiver = await otlpReceiver();
    const { record, counted, logged } = await trail({
      otlp: { endpoint: receiver.url, ca_file: ca.caFile },
    });
    receiver.answer = Object.assign(receiver.answer, { rejected: 1 });
    record('r-1');
    record('r-2');
    await expect.poll(() => counted('otlp', 'dropped')).toBe(1);
    expect(await counted('otlp', 'written')).toBe(1);
    Object.assign(receiver.answer, { status: 400, rejected: 0 });
    record('r-3');
    await expect.poll(() => counted('otlp', 'dropped')).toBe(2);
    expect(logged.join()).toMatch(/audit records are being lost/);
  });
});

describe('a receiver with an untrusted certificate, or one for another name', () => {
  it('gets no record', async () => {
    const [syslog, otlp] = [await syslogServer(), await otlpReceiver()];
    const untrusted = await trail({ syslog: { address: syslog.address }, otlp: { endpoint: otlp.url } });
    const other = await trail({
      syslog: { address: syslog.address, ca_file: ca.caFile, server_name: 'siem.test' },
      otlp: { endpoint: `https://127.0.0.1:${String(otlp.port)}`, ca_file: ca.caFile },
    });
    for (const { record } of [untrusted, other]) record('r-kept');
    for (const { logged } of [untrusted, other]) {
      for (const sink of ['syslog', 'otlp']) {
        const failed = new RegExp(`"sink":"${sink}","cause":"[^"]*(certificate|altnames)`);
        await expect.poll(() => logged.join(), { timeout: 10_000 }).toMatch(failed);
      }
    }
    await Promise.all([untrusted.close(), other.close()]);
    expect([syslog.messages, otlp.logs]).toEqual([[], []]);
  });
});

describe('a receiver that is down for long', () => {
  it('delays no request, and records beyond its queue are counted for it alone', async () => {
    const { record, counted, logged, close } = await trail({
      syslog: { address: `127.0.0.1:${String(CLOSED_PORT)}`, tls: false },
    });
    const started = performance.now();
    for (let nth = 0; nth < 10_050; nth += 1) record('r');
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await counted('syslog', 'dropped')).toBe(50);
    expect(logged.join()).toMatch(/audit records are being lost/);
    await expect.poll(() => redis.client.xlen('gateway:audit'), { timeout: 10_000 }).toBeGreaterThan(5_000);
    await close();
    expect(await counted('syslog', 'dropped')).toBe(10_050);
  });
});

describe('a probe of a receiver', () => {
  it('passes if records would arrive, and names the reason otherwise', async () => {
    const [syslog, otlp] = [await syslogServer(), await otlpReceiver()];
    const { audit } = configSchema.parse({
      audit: {
        syslog: { address: syslog.address, ca_file: ca.caFile },
        otlp: { endpoint: otlp.url, ca_file: ca.caFile },
      },
    });
    const open = await openReceivers(audit);
    await Promise.all([...open.values()].map((receiver) => receiver.probe()));
    expect([...open.keys()]).toEqual(['otlp', 'syslog']);
    Object.assign(otlp.answer, { status: 403 });
    await syslog.close();
    await expect(open.get('otlp')?.probe()).rejects.toThrow('the receiver answered 403');
    await expect(open.get('syslog')?.probe()).rejects.toThrow('ECONNREFUSED');
    for (const receiver of open.values()) receiver.close();
  });
});
