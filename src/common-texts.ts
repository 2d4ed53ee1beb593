/** Common member names in requests and answers of providers and MCP, and in tool schemas. */
const NAMES = `additionalProperties anthropic_version arguments call_id choices clientInfo completion_tokens
  completion_tokens_details content contents created data default delta description enum error finish_reason format
  frequency_penalty function function_call generationConfig id image_url index input input_schema input_tokens
  instructions is_error isError items jsonrpc kind logprobs max_tokens maxOutputTokens max_completion_tokens
  max_output_tokens message messages metadata method model n name object output output_tokens parallel_tool_calls
  parameters params parts path presence_penalty prompt prompt_tokens prompt_tokens_details properties protocolVersion
  query reasoning refusal required response_format result role schema seed session_id stop stop_reason store stream
  stream_options strict structuredContent system system_instruction system_fingerprint systemInstruction temperature
  text title tool_call_id tool_calls tool_choice tool_use_id tools top_k top_p topP total_tokens type uri url usage user
  value`;

/** Common values of these members. */
const VALUES: Readonly<Record<string, string>> = {
  format: 'date date-time email uri',
  finish_reason: 'length stop tool_calls',
  jsonrpc: '2.0',
  method: 'initialize prompts/get prompts/list resources/list resources/read tools/call tools/list',
  object: 'chat.completion list',
  role: 'assistant developer function model system tool user',
  stop_reason: 'end_turn max_tokens tool_use',
  tool_choice: 'auto none required',
  type: 'array boolean custom function function_call function_call_output image_url input_text integer message null number object output_text reasoning string text thinking tool_result tool_use',
};

/**
 * Texts that occur in nearly all requests and answers, in the forms that are scanned: alone, and preceded by the
 * member name.
 */
export const COMMON_TEXTS: ReadonlySet<string> = new Set([
  ...listedNames(NAMES),
  ...Object.entries(VALUES).flatMap(([name, values]) =>
    listedNames(values).flatMap((value) => [value, `${name}": "${value}`]),
  ),
]);

function listedNames(list: string): string[] {
  return list.split(/\s+/);
}
