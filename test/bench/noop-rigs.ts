import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { renderEnvoy } from '../../src/envoy/render.ts';
import type { TransportName } from '../../src/extproc/server.ts';
import { freePort } from '../../src/runtime/free-port.ts';
import { cacheDirectory, findOnPath, lastLine, runFile } from '../../src/runtime/program.ts';
import { underLock } from '../support/clients/machine-lock.ts';
import { gatewayConfig } from './gateway-rig.ts';
import { MEASURED_CORE, pin } from './machine.ts';
import { said, type Parts } from './parts.ts';
import { CHAT, type MissingRig, type Rig } from './rig.ts';
import { adminSocket, runEnvoy, startPlainEnvoy } from './plain-envoy.ts';

/** Our own edge with nothing behind it: the Envoy that we render, and a processor on Node that inspects nothing. */
export async function startOurNoop(parts: Parts, transport: TransportName): Promise<Rig> {
  const socketPath = join(parts.directory, `${transport}.sock`);
  const child = fork(join(import.meta.dirname, 'noop.ts'), [
    socketPath,
    `127.0.0.1:${String(parts.providerPort)}`,
    transport,
  ]);
  parts.stops.push(() => void child.kill());
  await said(child);
  const node = child.pid ?? 0;
  pin(node, MEASURED_CORE);
  const port = await freePort();
  const name = `noop-${transport}`;
  const envoy = await runEnvoy(
    parts,
    name,
    renderEnvoy(gatewayConfig(parts, port, await freePort()), {
      sidecars: [{ kind: 'unix', path: socketPath }],
      adminSocketPath: adminSocket(parts, name),
      systemCaFile: '/etc/ssl/certs/ca-certificates.crt',
      accessLogPath: '/dev/null',
    }),
  );
  return {
    name: `our Envoy + no-op, ${transport}`,
    port,
    path: `/openai${CHAT}`,
    headers: { authorization: 'Bearer sk-bench' },
    processes: [
      { part: 'envoy', pid: envoy },
      { part: 'node', pid: node },
    ],
  };
}

const GO_NOOP = 'Envoy + no-op in Go';

/** A plain Envoy and a processor in Go that inspects nothing: as fast as an external processor can be. */
export async function startGoNoop(parts: Parts): Promise<Rig | MissingRig> {
  const built = await buildGoNoop();
  if ('missing' in built) return { name: GO_NOOP, missing: built.missing };
  const socketPath = join(parts.directory, 'go.sock');
  const child = spawn(built.program, [socketPath], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { GOMAXPROCS: '1' },
  });
  parts.stops.push(() => void child.kill());
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  pin(pid, MEASURED_CORE);
  const envoy = await startPlainEnvoy(parts, socketPath);
  return {
    name: GO_NOOP,
    port: envoy.port,
    path: CHAT,
    headers: {},
    processes: [
      { part: 'envoy', pid: envoy.pid },
      { part: 'go', pid },
    ],
  };
}

const SOURCES = join(import.meta.dirname, 'noop-go');
const BUILD_WITHIN_MS = 600_000;

/** Built once per user and version of its sources, into `~/.cache/ai-firewall-gateway/bench`. */
async function buildGoNoop(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const go = await findOnPath('go', { PATH: `${process.env['PATH'] ?? ''}:/usr/local/go/bin` });
  if (go === undefined) return { missing: 'there is no go on PATH or in /usr/local/go' };
  const digest = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) digest.update(readFileSync(join(SOURCES, file)));
  const directory = join(await cacheDirectory(process.env), 'bench');
  const program = join(directory, `noop-go-${digest.digest('hex').slice(0, 16)}`);
  return underLock(program, async () => {
    if (existsSync(program)) return { program };
    process.stderr.write('Building the no-op processor in Go …\n');
    await mkdir(directory, { recursive: true });
    const built = await runFile(go, ['build', '-o', `${program}.new`, '.'], {
      cwd: SOURCES,
      timeoutMs: BUILD_WITHIN_MS,
      env: { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' },
    });
    if (!built.ok) return { missing: `go build says: ${lastLine(built.stderr)}` };
    await rename(`${program}.new`, program);
    return { program };
  });
}
