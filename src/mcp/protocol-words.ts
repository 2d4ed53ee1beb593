const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Member names of MCP and JSON Schema. They carry no server data, and changing one would break a message. */
export const PROTOCOL_NAMES: ReadonlySet<string> = wordSet(`
  jsonrpc id method params result error code message data _meta cursor nextCursor progressToken progress total
  content structuredContent isError type text mimeType uri blob resource contents name title description annotations
  audience priority lastModified icons src sizes theme size
  tools inputSchema outputSchema execution taskSupport readOnlyHint destructiveHint idempotentHint openWorldHint
  prompts arguments required messages role resources resourceTemplates uriTemplate roots completion values hasMore
  protocolVersion protocolVersions supportedVersions capabilities serverInfo clientInfo instructions version websiteUrl
  listChanged subscribe logging completions sampling elicitation experimental extensions tasks
  level logger requestId reason maxTokens systemPrompt includeContext modelPreferences hints costPriority speedPriority
  intelligencePriority stopSequences temperature metadata model stopReason toolChoice mode requestedSchema elicitationId url
  action task taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval requestState inputRequests
  inputResponses resultType
  $schema $id $ref $defs definitions properties patternProperties additionalProperties items prefixItems enum enumNames
  const default examples format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength
  minItems maxItems uniqueItems minProperties maxProperties anyOf oneOf allOf not if then else
`);

const WORD_MEMBERS = wordSet(
  'type role level mode jsonrpc resultType status action taskSupport audience theme includeContext',
);
const WORDS = wordSet(`
  2.0 text image audio resource resource_link tool_use tool_result user assistant
  object array string number integer boolean null
  debug info notice warning error critical alert emergency form url none thisServer allServers
  complete input_required task working completed failed cancelled submitted accept decline cancel
  forbidden optional required light dark
`);

export function isProtocolWord(name: string | undefined, value: string): boolean {
  return name !== undefined && WORD_MEMBERS.has(name) && WORDS.has(value);
}
