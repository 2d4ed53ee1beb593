import { configuredValues } from './checks/mcp-inspector/credential-values.ts';
import { isTrusted } from './checks/mcp-inspector/server-credentials.ts';
import type { Config } from './config/schema.ts';
import { SERVER_CREDENTIAL_RULE } from './detectors/tool-rules.ts';
import { judgedFindings } from './offline-probe.ts';

/** What keeps one MCP server's configured credentials from its clients. Names only: no value of any kind. */
export interface CredentialProbe {
  readonly server: string;
  readonly guarded: readonly string[];
  /** Said to be no credentials (`mcp.servers[].public`). */
  readonly public: readonly string[];
  /** Too short to be told from ordinary text. */
  readonly short: readonly string[];
  /** True where `suppress` lets the server tell what is guarded. */
  readonly mayTell: boolean;
  /** Of the guarded ones, those whose echo got through. */
  readonly unproven: readonly string[];
}

interface Echo {
  readonly server: string;
  readonly name: string;
  readonly text: string;
}

/** Lets a tool of each server repeat everything that the server was configured with, before the checks of the wire. */
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

/** Each by an agent of its own, so that none is judged by what another one was told. */
async function foundAmong(echoes: readonly Echo[], config: Config): Promise<readonly boolean[]> {
  const steps = echoes.flatMap(({ server, text }, nth) => {
    const whose = { agent: `probe-${String(nth)}`, session_id: `probe-${String(nth)}` };
    return [
      { ...whose, type: 'mcp_tool_call', provider: server, tool_name: 'echo', arguments: {} },
      { ...whose, type: 'mcp_tool_response', result: text },
    ];
  });
  const found = new Set(
    (await judgedFindings(steps, { config, sources: undefined }))
      .filter(({ rule }) => rule === SERVER_CREDENTIAL_RULE)
      .map(({ index }) => index),
  );
  return echoes.map((_echo, nth) => found.has(2 * nth + 1));
}
