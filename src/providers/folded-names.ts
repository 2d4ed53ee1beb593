import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../json/is-object.ts';
import { withoutCase } from '../text/without-case.ts';

/**
 * Member names that dialects read in requests, at any level, in the provider's spelling. Add every name that a reader
 * newly uses, because some provider parsers accept `Content` for `content`, and the gateway cannot judge what it does
 * not read.
 */
const NAMES = [
  'model models messages role content text type name input prompt prompts system instructions preamble message suffix',
  'chat_history documents document title context data url source media_type citations cache_control detail refusal',
  'image images image_url video video_url audio audio_url input_audio input_video file file_id file_data file_url',
  'document_url filename format bytes s3Location uri output outputs output_text summary thinking signature reasoning',
  'reasoning_content reasoning_details encrypted_content redactedContent reasoningContent reasoningText toolPlan',
  'tools tool tool_choice tool_calls tool_call_id tool_results tool_result function functions function_call call call_id',
  'calls tool_plan custom definition description strict parameters arguments args response result id status action',
  'input_schema inputSchema inputText inputs query queries texts query_text max_tokens max_completion_tokens',
  'max_output_tokens max_new_tokens max_gen_len num_predict options n best_of stream stream_options include_usage',
  'stop stop_sequences service_tier store background modalities previous_response_id conversation conversation_id',
  'mcp_servers server_url server_label allowed_tools connectors connector_id plugins web_search_options search_parameters',
  'data_sources search_settings container thread fallbacks speed inference_geo context_management compaction edits',
  'response_format json_schema schema text_format prediction extra_body logprobs top_logprobs echo reasoning_effort',
  'provider route preset transforms max_price raw template think effort budget_tokens template_name',
  'contents parts part systemInstruction system_instruction inlineData inline_data fileData file_data fileUri file_uri',
  'mimeType mime_type functionCall function_call functionResponse function_response functionDeclarations',
  'function_declarations executableCode executable_code codeExecutionResult code_execution_result code thought',
  'thoughtSignature thought_signature toolConfig tool_config generationConfig generation_config maxOutputTokens',
  'candidateCount candidate_count cachedContent cached_content generateContentRequest requests safetySettings',
  'safety_settings responseModalities response_modalities speechConfig speech_config thinkingConfig thinking_config',
  'serviceTier googleSearch google_search codeExecution code_execution urlContext url_context displayName display_name',
  'toolSpec toolUse toolResult toolUseId toolChoice cachePoint guardContent guardrailConfig inferenceConfig maxTokens',
  'additionalModelRequestFields performanceConfig promptVariables requestMetadata converse invokeModel body json value',
  'textGenerationConfig maxTokenCount anthropic_version anthropic_beta enable_thinking usage include',
  'additional_tools continuationToken continuation_token environment execution exclude include_reasoning user mode meta',
  'reasoning_format videoMetadata video_metadata mediaResolution media_resolution fps computerUse computer_use latency',
  'prompt_cache_options arn agent agent_id agent_reference assistant_id prompt_id prompt_embeds skills deferred google',
  'outputModalities output_modalities imageConfig image_config videoConfig video_config toolCall tool_call toolResponse',
  'tool_response token_budget thinking_budget thinkingBudget thinking_token_budget reasoning_config reasoningConfig',
  'budgetTokens',
].flatMap((line) => line.split(' '));

export const MEMBER_NAMES: ReadonlySet<string> = new Set(NAMES);

/** Below these members, names are client-defined: schemas, arguments, metadata and headers for other servers. */
export const OWN_NAMES: ReadonlySet<string> = new Set(
  [
    'parameters parametersJsonSchema parameters_json_schema parameter_definitions input_schema inputSchema schema',
    'properties patternProperties definitions $defs dependentSchemas responseSchema response_schema responseJsonSchema',
    '_responseJsonSchema response_json_schema output_schema outputSchema guided_json arguments args metadata requestMetadata labels',
    'logit_bias variables promptVariables headers http_headers env chat_template_kwargs user_metadata toolArguments',
    'input_examples parameterDefinitions _meta documents outputs attributes extra_headers structuredContent',
  ].flatMap((line) => line.split(' ')),
);

/** Members such as a call's `input`. Below the top level, if the value is an object, its names are client-defined. */
const OWN_OBJECTS: ReadonlySet<string> = new Set(['input', 'response', 'json', 'data', 'value']);

/**
 * Upper bound on the length of dialect member names. Longer names are only compared with the other names of their
 * object.
 */
const MAX_NAME_CHARS = 64;
const MAX_SHOWN_CHARS = 30;

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [...MEMBER_NAMES].map((name) => [withoutCase(name), name]),
);

/**
 * Refuses names that a case-insensitive parser (Go's `encoding/json`) takes for other names: a dialect's member in
 * another letter case, or two members of one object that differ only in case. Checks every level except below
 * client-defined names (schemas, arguments, metadata).
 * @throws GatewayError invalid_request
 */
export function refuseFoldedNames(body: JsonObject): void {
  checkObject(body, true);
}

/** Recursion is bounded by the parser's nesting limit. */
function check(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    checkObject(value as JsonObject, false);
    return;
  }
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    if (typeof item === 'object') check(item);
  }
}

function checkObject(object: JsonObject, isBody: boolean): void {
  let mayFold = false;
  for (const name in object) {
    if (!MEMBER_NAMES.has(name)) {
      mayFold ||= !isPlainName(name);
      refuseOtherSpelling(name);
    }
    const value = object[name];
    if (typeof value === 'object' && value !== null && !isClientsOwn(name, value, isBody)) check(value);
  }
  if (mayFold) refuseTwins(object);
}

/** Reports whether names below a member are client-defined. The body's own members belong to the dialect. */
export function isClientsOwn(name: string, value: object, isBody: boolean): boolean {
  if (isBody) return OWN_AT_ROOT.has(name);
  return OWN_NAMES.has(name) || (OWN_OBJECTS.has(name) && !Array.isArray(value));
}

const DIALECTS_AT_ROOT: ReadonlySet<string> = new Set(['parameters', 'arguments', 'args', 'outputs']);
const OWN_AT_ROOT: ReadonlySet<string> = new Set(
  [...OWN_NAMES].filter((name) => !DIALECTS_AT_ROOT.has(name)),
);

const PLAIN = /^[a-z0-9_$.-]*$/;

function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

function refuseOtherSpelling(name: string): void {
  if (name.length > MAX_NAME_CHARS || (isPlainName(name) && !SPELLINGS.has(name))) return;
  const known = SPELLINGS.get(withoutCase(name));
  if (known === undefined || known === name) return;
  throw refusal(
    `Write "${known}" in the request exactly like this, because some providers ignore letter case.`,
  );
}

function refuseTwins(object: JsonObject): void {
  const seen = new Set<string>();
  for (const name in object) {
    const fold = withoutCase(name);
    if (seen.has(fold)) {
      const shown = name.length > MAX_SHOWN_CHARS ? '…' : JSON.stringify(name);
      throw refusal(`The request has two members that differ only in letter case: ${shown}. Keep one.`);
    }
    seen.add(fold);
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
