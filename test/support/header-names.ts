/**
 * Request headers known to RFCs, SDKs, proxies and servers, without those of a connection (`Host`, `TE`, `Upgrade` …),
 * which no client can send end to end.
 */
export const HEADER_NAMES: readonly string[] = [
  // IANA's registry of HTTP field names that requests may have.
  ...words(`a-im accept accept-charset accept-datetime accept-encoding accept-language accept-features
    accept-post accept-patch accept-signature accept-additions access-control-request-headers
    access-control-request-method ah-alternates alt-used amp-cache-transform apply-to-redirect-ref
    authentication-control available-dictionary c-ext c-man c-opt c-pep c-pep-info cache-control
    cal-managed-id caldav-timezones capsule-protocol cdn-loop cert-not-after cert-not-before client-cert
    client-cert-chain close configuration-context content-base content-digest content-disposition
    content-id content-language content-location content-md5 content-range content-script-type
    content-security-policy content-style-type content-type content-version cookie cookie2
    cross-origin-resource-policy cta-common-access-token dasl date dav default-style delta-base depth
    derived-from destination device-memory dictionary-id differential-id digest dpop dpop-nonce
    early-data ediint-features etag expires ext forwarded from getprofile hobareg http2-settings if
    if-match if-modified-since if-none-match if-range if-schedule-tag-match if-unmodified-since im
    include-referred-token-binding-id isolation last-modified link location lock-token man max-forwards
    memento-datetime meter method-check method-check-expires mime-version negotiate nel odata-entityid
    odata-isolation odata-maxversion odata-version opt optional ordering-type origin
    origin-agent-cluster oscore oslc-core-version overwrite p3p pep pep-info pics-label ping-from ping-to
    position pragma prefer preference-applied priority profileobject protocol protocol-info
    protocol-query protocol-request proxy-authorization proxy-features proxy-instruction public
    range redirect-ref referer referer-root referrer-policy repeatability-client-id
    repeatability-first-sent repeatability-request-id repr-digest safe schedule-reply schedule-tag
    sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-storage-access sec-fetch-user sec-gpc
    sec-purpose sec-token-binding security-scheme set-txn shift slug soapaction
    status-uri subok subst surrogate-capability tcn timeout topic traceparent tracestate ttl
    unencoded-digest uri urgency user-agent variant-vary via want-content-digest want-digest
    want-repr-digest warning x-device-accept x-device-user-agent x-frame-options`),
  // Headers that servers, proxies and frameworks use to route, rewrite or identify requests.
  ...words(`x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto x-forwarded-prefix
    x-forwarded-client-cert x-forwarded-user x-real-ip true-client-ip cf-connecting-ip fly-client-ip
    x-client-ip x-cluster-client-ip x-original-url x-original-host x-original-uri x-rewrite-url x-host
    x-http-method x-http-method-override x-method x-method-override x-envoy-original-path
    x-envoy-upstream-rq-timeout-ms x-envoy-retry-on x-envoy-max-retries x-envoy-decorator-operation
    x-request-id x-correlation-id x-amzn-trace-id x-cloud-trace-context x-b3-traceid x-b3-spanid x-b3-sampled
    b3 uber-trace-id sentry-trace baggage x-datadog-trace-id x-datadog-parent-id grpc-trace-bin grpc-timeout
    x-csrf-token x-requested-with x-auth-token x-access-token x-user-id x-user-email x-mail x-secret
    x-tenant x-api-version save-data dnt upgrade-insecure-requests rtt downlink ect viewport-width
    x-wap-profile x-att-deviceid x-uidh x-do-not-track x-csrftoken x-forwarded-email remote-user`),
  // Headers of providers and their SDKs.
  ...words(`openai-organization openai-project openai-beta openai-version openai-model x-client-request-id
    originator conversation-id anthropic-version anthropic-beta anthropic-dangerous-direct-browser-access
    anthropic-organization-id anthropic-workspace anthropic-service-tier x-anthropic-beta x-app
    x-claude-code-session-id x-claude-remote-session-id x-codex-beta-features x-codex-turn-metadata
    x-ms-spillover-deployment x-ms-client-request-id x-ms-deployment x-ms-model-mesh-model-name
    x-ms-oai-image-generation-deployment x-ms-useragent x-ms-region azureml-model-deployment
    azureml-model-group aoai-evals extra-parameters api-version ocp-apim-subscription-key
    x-goog-api-client x-goog-user-project x-goog-fieldmask x-goog-request-params x-goog-request-reason
    x-goog-iam-authorization-token x-goog-authenticated-user-email x-goog-encode-response-if-executable
    x-server-timeout x-vertex-ai-llm-request-type x-vertex-ai-llm-shared-request-type
    x-gemini-service-tier groq-model-version groq-beta groq-service-tier x-groq-region
    x-stainless-lang x-stainless-package-version x-stainless-os x-stainless-arch x-stainless-runtime
    x-stainless-runtime-version x-stainless-retry-count x-stainless-timeout x-stainless-read-timeout
    x-stainless-async x-stainless-helper x-stainless-helper-method x-stainless-raw-response
    x-stainless-stream-class x-stainless-custom idempotency-key x-idempotency-key
    x-client-name x-fern-language x-fern-sdk-name x-fern-sdk-version x-fern-runtime x-fern-runtime-version
    x-fern-other x-session-affinity x-fireworks-annotations fireworks-deployment x-grok-conv-id x-grok-model
    http-referer x-title x-openrouter-title x-openrouter-categories x-openrouter-cache
    x-openrouter-provider x-session-id x-affinity x-data-parallel-rank x-vllm-lora x-ollama-keep-alive
    x-amz-date x-amz-target x-amz-security-token x-amz-content-sha256 amz-sdk-invocation-id amz-sdk-request
    x-amzn-bedrock-accept x-amzn-bedrock-guardrailidentifier x-amzn-bedrock-guardrailversion
    x-amzn-bedrock-performanceconfig-latency x-amzn-bedrock-request-metadata x-amzn-bedrock-service-tier
    x-amzn-bedrock-trace x-amzn-bedrock-inferenceprofile x-amzn-bedrock-model
    service-tier x-service-tier x-model model x-model-id x-deployment deployment x-priority`),
  // Headers of MCP.
  ...words('last-event-id mcp-session-token mcp-client-id mcp-user x-mcp-tools'),
  // Spellings that some servers read as another header.
  ...words('x_api_key x_ms_spillover_deployment user_agent anthropic_beta mcp_session_id content_type'),
];

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
