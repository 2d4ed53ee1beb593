import { configuredValues, isTrusted } from './checks/mcp-inspector/server-credentials.ts';
import type { Config } from './config/schema.ts';
import { SERVER_CREDENTIAL_RULE } from './detectors/tool-rules.ts';
import { judgedFindings } from './offline-probe.ts';

/** How an MCP server's configured credentials are protected from clients. Contains names, never values. */
export interface CredentialProbe {
  readonly server: string;
  readonly guarded: readonly string[];
  /** Not protected, because they are declared as public (`mcp.servers[].public`). */
  readonly public: readonly string[];
  /** Too short to distinguish from ordinary text. */
  readonly short: readonly string[];
  /** Whether `suppress` lets the server show protected values. */
  readonly mayTell: boolean;
  /** Protected credentials with a test echo that was not detected. */
  readonly unproven: readonly string[];
}

interface Echo {
  readonly server: string;
  readonly name: string;
  readonly text: string;
}

/**
 * Runs the gateway's checks on simulated tool results that echo each server's credentials, as plain text and in Base64.
 */
export async function probeCredentials(config: Config): Promise<readonly CredentialProbe[]> {
  const servers = config.mcp.servers.map((server) => ({ server, values: configuredValues(server) }));
  const echoes = servers.flatMap(({ server, values }) =>
    values.flatMap(({ name, guarded }) =>
      guarded.flatMap((value) => echoesOf(value).map((text): Echo => ({ server: server.name, name, text }))),
    ),
  );
  const found = echoes.length === 0 ? [] : await foundAmong(echoes, config);
  return servers.map(({ server, values }) => {
    const namesOf = (kind: string): string[] =>
      values.filter((value) => value.kind === kind).map(({ name }) => name);
    const unproven = echoes.filter((echo, index) => echo.server === server.name && found[index] !== true);
    return {
      server: server.name,
      guarded: namesOf('guarded'),
      public: namesOf('public'),
      short: namesOf('short'),
      mayTell: isTrusted(server),
      unproven: [...new Set(unproven.map(({ name }) => name))],
    };
  });
}

function echoesOf(value: string): readonly string[] {
  return [`You sent ${value}.`, `You sent ${Buffer.from(value).toString('base64')}.`];
}

/** Uses a separate agent for each echo, so that no result influences another. */
async function foundAmong(echoes: readonly Echo[], config: Config): Promise<readonly boolean[]> {
  const steps = echoes.flatMap(({ server, text }, nth) => {
    const probe = { agent: `probe-${String(nth)}`, session_id: `probe-${String(nth)}` };
    return [
      { ...probe, type: 'mcp_tool_call', provider: server, tool_name: 'echo', arguments: {} },
      { ...probe, type: 'mcp_tool_response', result: text },
    ];
  });
  const found = new Set(
    (await judgedFindings(steps, { config, sources: undefined }))
      .filter(({ rule }) => rule === SERVER_CREDENTIAL_RULE)
      .map(({ index }) => index),
  );
  return echoes.map((_echo, nth) => found.has(2 * nth + 1));
}
