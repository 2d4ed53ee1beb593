import type { FakeRequest, Script } from '../../fake-provider/index.ts';

/** A tool that a request offers and the client runs itself. */
interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
  readonly parameters: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> };
}

type Call = NonNullable<Script['tool']>;

/** Agents' names for the tool that reads a file, or runs a command, best first. */
const READERS = [/^(Read|read_file|read_files|read)$/, /^(exec_command|shell|run_commands|bash|Bash)$/];
const PATHS = ['file_path', 'absolute_path', 'filePath', 'filepath', 'path'];
const COMMANDS = ['cmd', 'command'];

/** A model's call to read a file, in the terms of the requesting agent; undefined if it offers no such tool. */
export function readingCall(request: FakeRequest, file: string): Call | undefined {
  const offered = offeredTools(request);
  for (const wanted of READERS) {
    const tool = offered.find(({ name }) => wanted.test(name));
    if (tool === undefined) continue;
    const { properties = {} } = tool.parameters;
    return { name: tool.name, arguments: argumentsFor(properties, file) };
  }
  return undefined;
}

const WRITERS = /^(Write|write_file|write|write_to_file)$/;
const CONTENTS = ['content', 'contents', 'text'];
const SHELLS = /^(exec_command|shell|run_commands|run_shell_command|bash|Bash)$/;

/** A model's call to write a file: with a tool for that, else with a command. */
export function writingCall(request: FakeRequest, file: string, content: string): Call | undefined {
  const tool = offeredTools(request).find(({ name }) => WRITERS.test(name));
  if (tool === undefined)
    return commandCall(request, `printf '%s' '${content.replaceAll("'", "'\\''")}' > ${file}`);
  const { properties = {} } = tool.parameters;
  const named = CONTENTS.find((name) => name in properties) ?? 'content';
  return { name: tool.name, arguments: { ...argumentsFor(properties, file), [named]: content } };
}

/** A model's call to run a command; undefined if the agent offers no shell. */
export function commandCall(request: FakeRequest, line: string): Call | undefined {
  const tool = offeredTools(request).find(({ name }) => SHELLS.test(name));
  if (tool === undefined) return undefined;
  return { name: tool.name, arguments: commandFor(tool.parameters.properties ?? {}, line) };
}

function argumentsFor(
  properties: NonNullable<OfferedTool['parameters']['properties']>,
  file: string,
): Record<string, unknown> {
  const path = PATHS.find((name) => name in properties);
  if (path !== undefined) return { [path]: file };
  if ('files' in properties) return { files: [{ path: file }] };
  return commandFor(properties, `cat ${file}`);
}

function commandFor(
  properties: NonNullable<OfferedTool['parameters']['properties']>,
  line: string,
): Record<string, unknown> {
  const command = COMMANDS.find((name) => name in properties) ?? 'commands';
  const isList = properties[command]?.type === 'array' || command === 'commands';
  return {
    [command]: isList ? [line] : line,
    ...('description' in properties && { description: 'does it' }),
  };
}

/** A call of the offered tool whose name ends with this: agents prefix the server's name. */
export function callOf(request: FakeRequest, name: string, args: Call['arguments']): Call | undefined {
  const tool = offeredTools(request).find((offered) => offered.name.endsWith(name));
  if (tool === undefined) return undefined;
  const { namespace } = tool;
  return { name: tool.name, arguments: args, ...(namespace !== undefined && { namespace }) };
}

/**
 * A call of a tool that is named but not offered: some agents hide the tools of MCP servers, and offer one that
 * looks them up. That is called first, and the tool afterwards, directly or through another.
 */
export function searchedCall(request: FakeRequest, name: string): Call | undefined {
  const search = offeredTools(request).find((offered) => /^tool_?search$/i.test(offered.name));
  if (search === undefined || !request.body.includes(name)) return undefined;
  const query = `select:${name}`;
  if (!request.body.includes(query)) return { name: search.name, arguments: { query } };
  const through = offeredTools(request).find((offered) => offered.name === 'tool_call');
  return through === undefined
    ? { name, arguments: {} }
    : { name: through.name, arguments: { name, arguments: {} } };
}

type Listed = Readonly<Record<string, unknown>>;

/** From OpenAI's chat and Responses, Anthropic's messages and Gemini's declarations. */
function offeredTools({ json }: FakeRequest): OfferedTool[] {
  const listed = (Array.isArray(json['tools']) ? json['tools'] : []) as readonly Listed[];
  return listed.flatMap((tool) => {
    const declared = tool['functionDeclarations'];
    if (Array.isArray(declared)) return (declared as Listed[]).map(asOffered);
    // OpenAI's namespaces, with which Codex groups the tools of a server.
    const grouped = tool['type'] === 'namespace' ? tool['tools'] : undefined;
    if (Array.isArray(grouped)) {
      return (grouped as Listed[]).map((each) => ({ ...asOffered(each), namespace: String(tool['name']) }));
    }
    const inner = tool['function'];
    return [asOffered(typeof inner === 'object' && inner !== null ? (inner as Listed) : tool)];
  });
}

function asOffered(tool: Listed): OfferedTool {
  const schema = tool['input_schema'] ?? tool['parametersJsonSchema'] ?? tool['parameters'] ?? {};
  return { name: String(tool['name'] ?? ''), parameters: schema as OfferedTool['parameters'] };
}
