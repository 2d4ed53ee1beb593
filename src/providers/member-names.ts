/**
 * Member names that dialects read in requests, at any level, in the provider's spelling. Add names here when a reader
 * starts to use them: some provider parsers accept `Content` for `content`, and the gateway cannot judge what it does
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

/**
 * Members below which names are client-defined if the value is an object and not a top-level member: a call's
 * `input`, a result's `response`, a document's `data`.
 */
export const OWN_OBJECTS: ReadonlySet<string> = new Set(['input', 'response', 'json', 'data', 'value']);
