import { encodedJsonWebToken, jsonWebToken } from './jwt.ts';
import { encodedPemPrivateKey, pemPrivateKey } from './pem.ts';
import {
  END_OF_BASE64,
  EXACT_BASE64URL,
  EXACT_HEX,
  EXACT,
  longRun,
  assignedSecret,
  NOT_BEFORE_CAPITAL,
  NOT_BEFORE_SMALL,
  prefixed,
  type SecretRule,
} from './rule.ts';
import { hasDigitAndLetter, isMixed, isNotHeadline, isRandom } from './randomness.ts';
import { startsToken } from './places.ts';
import { otherSecrets } from './vendor-rules.ts';

/** Upper bound for the part before `T3BlbkFJ`: `sk-`, a kind such as `proj-`, and up to 128 characters. */
const MAX_OPENAI_LEAD_CHARS = 146;
const MAX_DIGITS = 12;

const TOKEN_SEGMENTS = 'eyJ[A-Za-z0-9_-]{16,2048}\\.[A-Za-z0-9_-]{16,2048}\\.[A-Za-z0-9_-]{16,1024}';

const cloudKeys: readonly SecretRule[] = [
  prefixed('aws_access_key_id', ['AKIA', 'A3T'], '(?<=AKIA)[A-Z0-9]{16}|(?<=A3T)[A-Z0-9]{17}', {
    minEntropy: 2.7,
    notBefore: NOT_BEFORE_CAPITAL,
    followsWord: isNotHeadline,
  }),
  prefixed('aws_temporary_access_key_id', ['ASIA', 'ABIA', 'ACCA'], '[A-Z0-9]{16}', {
    minEntropy: 2.7,
    notBefore: NOT_BEFORE_CAPITAL,
    followsWord: isNotHeadline,
    accepts: (id) => isNotHeadline(id.slice(4)),
  }),
  {
    id: 'aws_credential_pair',
    keywords: ['AKIA', 'ASIA'],
    anchor: 'head',
    pattern: /(?:AKIA|ASIA)[A-Z0-9]{16}["'`]?[\s,:;|]{1,4}["'`]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])/y,
    maxChars: 80,
    minEntropy: 3.5,
    accepts: isMixed,
  },
  assignedSecret(
    'aws_secret_access_key',
    [
      'secret_access_key',
      'secretaccesskey',
      'secret access key',
      'secret-access-key',
      'aws_secret',
      'awssecret',
      'aws-secret',
      'aws secret',
      'aws_access_key',
      'aws_key',
      'awskey',
      'awssecretkey',
    ],
    '[A-Za-z0-9/+]{40}',
    { minEntropy: 3.5, accepts: isMixed, notBefore: END_OF_BASE64 },
  ),
  assignedSecret(
    'aws_session_token',
    [
      'session_token',
      'sessiontoken',
      'session token',
      'session-token',
      'security_token',
      'security-token',
      'securitytoken',
    ],
    '[A-Za-z0-9+/%]{100,4096}={0,2}',
    { maxChars: 4098, minEntropy: 4, accepts: isMixed },
  ),
  longRun(
    'aws_session_token_prefixed',
    ['IQoJb3JpZ2luX2Vj', 'FwoGZXIvYXdzE', 'FQoGZXIvYXdzE'],
    '[A-Za-z0-9+/%]',
    { minChars: 80, maxChars: 4200, minEntropy: 4 },
  ),
  prefixed('gcp_api_key', ['AIza'], '[A-Za-z0-9_-]{35}', EXACT_BASE64URL),
  prefixed('gcp_oauth_access_token', ['ya29.'], '(?:[a-z]\\.)?[A-Za-z0-9_-]{40,2048}', {
    maxChars: 2100,
    minEntropy: 3.5,
    startsRun: true,
    followsWord: isRandom,
  }),
  prefixed('gcp_oauth_refresh_token', ['1//0'], '[A-Za-z0-9_-]{40,256}', { minEntropy: 3.5 }),
  prefixed('gcp_oauth_client_secret', ['GOCSPX-'], '[A-Za-z0-9_-]{28}', EXACT_BASE64URL),
  {
    id: 'azure_ad_client_secret',
    keywords: ['q~'],
    anchor: 'inner',
    pattern: /[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/y,
    lead: { maxChars: 4, startOf: (_text, keywordStart) => keywordStart - 4 },
    maxChars: 41,
    minEntropy: 3,
  },
  assignedSecret(
    'azure_client_secret',
    ['azure_client_secret', 'azureclientsecret', 'azure-client-secret', 'arm_client_secret', 'azure_secret'],
    '[A-Za-z0-9_~.-]{34,44}',
    {
      accepts: isMixed,
      minEntropy: 3.5,
    },
  ),
  prefixed('azure_account_key', ['AccountKey='], '([A-Za-z0-9+/]{86}==)', { notBefore: '' }),
  prefixed('azure_shared_access_key', ['SharedAccessKey='], '([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)', {
    notBefore: '',
  }),
  prefixed('azure_shared_access_signature', ['sig='], '([A-Za-z0-9%+/]{43,63}(?:%3[Dd]|=))', {
    notBefore: '',
    minEntropy: 3.5,
    accepts: isMixed,
  }),
  assignedSecret(
    'azure_storage_key',
    ['account_key', 'accountkey', 'storage_key', 'storagekey', 'storage-key', 'account-key'],
    '[A-Za-z0-9+/]{86}==',
    { notBefore: '' },
  ),
];

const providerKeys: readonly SecretRule[] = [
  {
    id: 'openai_api_key',
    keywords: ['t3blbkfj'],
    anchor: 'inner',
    pattern: /sk-(?:[a-z]{2,12}-)?[A-Za-z0-9_-]{15,128}T3BlbkFJ[A-Za-z0-9_-]{15,128}/y,
    lead: { maxChars: MAX_OPENAI_LEAD_CHARS, startOf: startOfOpenAiKey },
    maxChars: 300,
    minEntropy: 3,
  },
  prefixed(
    'openai_project_key',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-service-'],
    '[A-Za-z0-9_-]{100,220}',
    {
      minEntropy: 4,
      notBefore: '',
      accepts: isMixed,
      followsWord: isRandom,
    },
  ),
  prefixed(
    'anthropic_api_key',
    ['sk-ant-'],
    '(?:api|admin|oat|ort|sid|usr)\\d\\d-[A-Za-z0-9_-]{80,160}AA',
    EXACT_BASE64URL,
  ),
  prefixed('gemini_api_key', ['AQ.'], '[A-Za-z0-9_-]{40,100}', { minEntropy: 4, accepts: isMixed }),
  prefixed('bedrock_api_key', ['ABSKQmVkcm9ja0FQSUtleS'], '[A-Za-z0-9+/]{80,400}={0,2}', { maxChars: 430 }),
  longRun('bedrock_short_lived_api_key', ['bedrock-api-key-'], '[A-Za-z0-9+/_-]', {
    minChars: 24,
    maxChars: 8300,
  }),
  assignedSecret(
    'azure_openai_api_key',
    [
      'azure_openai',
      'azureopenai',
      'azure-openai',
      'azure openai',
      'openai_azure',
      'aoai',
      'azure_api_key',
      'azure_ai',
      'cognitive_services',
      'cognitiveservices',
    ],
    '[a-f0-9]{32}|[A-Za-z0-9]{84}',
    { accepts: hasDigitAndLetter },
  ),
  {
    id: 'azure_ai_services_key',
    keywords: ['jqqj99'],
    anchor: 'inner',
    pattern: /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![A-Za-z0-9])/y,
    lead: { maxChars: 52, startOf: (_text, keywordStart) => keywordStart - 52 },
    maxChars: 85,
    minEntropy: 3,
  },
  assignedSecret('mistral_api_key', ['mistral'], '[A-Za-z0-9]{32}', { accepts: isMixed, minEntropy: 3.5 }),
  prefixed('groq_api_key', ['gsk_'], '[A-Za-z0-9]{52}', EXACT),
  assignedSecret('cohere_api_key', ['cohere', 'co_api_key'], '[A-Za-z0-9]{40}', {
    accepts: isMixed,
    minEntropy: 3.5,
  }),
  prefixed('deepseek_api_key', ['sk-'], '[a-z0-9]{32}', {
    notBefore: NOT_BEFORE_SMALL,
    accepts: (secret) => hasDigitAndLetter(secret.slice(3)),
  }),
  prefixed('together_api_key', ['tgp_v1_'], '[A-Za-z0-9_-]{43}', EXACT_BASE64URL),
  assignedSecret(
    'together_legacy_api_key',
    [
      'together_',
      'togetherai',
      'together.',
      'together-',
      'together ai',
      'together api',
      'togetherapi',
      'together key',
    ],
    '[a-f0-9]{64}',
    { accepts: hasDigitAndLetter },
  ),
  assignedSecret('ollama_api_key', ['ollama'], '[a-f0-9]{32}\\.[A-Za-z0-9_-]{20,64}'),
  prefixed('fireworks_api_key', ['fw_'], '[A-Za-z0-9]{20,26}|[A-Za-z0-9]{48}', {
    accepts: isMixed,
    minEntropy: 3.5,
  }),
  assignedSecret(
    'fireworks_legacy_api_key',
    ['fireworks_', 'fireworks-', 'fireworksai', 'fireworks ai', 'fireworksapi', 'fireworks api'],
    '[A-Za-z0-9]{48}',
    { accepts: isMixed, minEntropy: 3.5 },
  ),
  prefixed('xai_api_key', ['xai-'], '[A-Za-z0-9_]{70,128}', { minEntropy: 3.5, followsWord: isRandom }),
  assignedSecret(
    'vllm_api_key',
    [
      'vllm_api_key',
      'vllm-api-key',
      'vllm api key',
      'vllmapikey',
      'vllm_key',
      'vllm_token',
      'vllm key',
      'vllm token',
    ],
    '[A-Za-z0-9_-]{20,128}',
    { accepts: hasDigitAndLetter, minEntropy: 3.5 },
  ),
  prefixed('openrouter_api_key', ['sk-or-v1-', 'sk-or-'], '[a-f0-9]{60,72}', EXACT_HEX),
  prefixed('huggingface_access_token', ['hf_', 'api_org_'], '[A-Za-z0-9]{34}', {
    ...EXACT,
    accepts: (secret) => isMixed(secret.slice(-34)),
  }),
  prefixed('huggingface_oauth_token', ['hf_oauth_', 'hf_jwt_'], `${TOKEN_SEGMENTS}|[A-Za-z0-9_-]{40,2048}`, {
    maxChars: 5200,
    minEntropy: 3.5,
    startsRun: true,
  }),
  prefixed('perplexity_api_key', ['pplx-'], '[A-Za-z0-9]{40,64}', { minEntropy: 3.5, followsWord: isRandom }),
  prefixed('gateway_proxy_key', ['gw-'], '[A-Za-z0-9_-]{43}', {
    ...EXACT_BASE64URL,
    accepts: isMixed,
    minEntropy: 3.5,
  }),
];

const GITLAB_BODY = '[A-Za-z0-9_-]';
/** Routable tokens end in `.<length><checksum>`, or in `.<version>.<length><checksum>`. */
const GITLAB_ROUTE = '(?:\\.[0-9a-z]{2}\\.[0-9a-z]{9}|\\.[0-9a-z]{9})?';
/** The minimum entropy is low, because test tokens made of words repeat letters. */
const GITLAB_OPTIONS = { notBefore: '', minEntropy: 2.7, followsWord: isRandom };
const GITLAB_20 = [
  'glpat-',
  'gldt-',
  'glrt-',
  'glrtr-',
  'glcbt-',
  'glft-',
  'glffct-',
  'glsoat-',
  'glwt-',
  'GR1348941',
];

const repositoryTokens: readonly SecretRule[] = [
  prefixed('github_token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], '[A-Za-z0-9]{36,255}', EXACT),
  prefixed('github_app_token', ['ghs_'], `\\d{1,12}_${TOKEN_SEGMENTS}`, {
    maxChars: 5200,
    startsRun: true,
    followsWord: () => true,
  }),
  prefixed('github_fine_grained_token', ['github_pat_'], '[A-Za-z0-9_]{60,255}', { followsWord: isRandom }),
  prefixed('gitlab_token', GITLAB_20, `${GITLAB_BODY}{20,320}${GITLAB_ROUTE}`, GITLAB_OPTIONS),
  prefixed('gitlab_incoming_mail_token', ['glimt-'], `${GITLAB_BODY}{25,320}`, GITLAB_OPTIONS),
  prefixed('gitlab_pipeline_trigger_token', ['glptt-'], `${GITLAB_BODY}{40,320}`, {
    notBefore: '',
    followsWord: isRandom,
  }),
  prefixed('gitlab_agent_token', ['glagent-'], `${GITLAB_BODY}{50,1024}`, {
    notBefore: '',
    maxChars: 1040,
    startsRun: true,
    followsWord: isRandom,
  }),
  prefixed('gitlab_oauth_secret', ['gloas-'], `${GITLAB_BODY}{64,320}`, {
    notBefore: '',
    followsWord: isRandom,
  }),
  prefixed('gitlab_session_cookie', ['_gitlab_session='], '([A-Za-z0-9]{32})'),
  prefixed('bitbucket_app_password', ['ATBB'], '[A-Za-z0-9]{32}', {
    ...EXACT,
    accepts: isMixed,
    minEntropy: 3.5,
  }),
  prefixed('atlassian_token', ['ATATT3', 'ATCTT3'], '[A-Za-z0-9_=-]{60,320}', {
    notBefore: '',
    minEntropy: 3.5,
    followsWord: isRandom,
  }),
  assignedSecret('bitbucket_client_secret', ['bitbucket'], '[A-Za-z0-9_=-]{64}|[A-Za-z0-9]{32}', {
    notBefore: END_OF_BASE64,
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
];

/** The first two Base64 characters of a numeric id. The second letter may have either case. */
const DISCORD_BEGINNINGS = Object.entries({ M: 'TtJjZz', N: 'DdTtJjZz', O: 'DdTt' }).flatMap(
  ([first, seconds]) => [...seconds].map((second) => first + second),
);

const chatTokens: readonly SecretRule[] = [
  prefixed(
    'slack_token',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xoxc-'],
    '(?:\\d-)?\\d{5,16}(?:-\\d{5,16}){0,3}-[A-Za-z0-9]{10,64}(?:-[A-Za-z0-9-]{0,64})?',
    {
      notBefore: '',
      minEntropy: 2.5,
      accepts: (secret) => /[A-Za-z]|(?:\d-\d+){3}/.test(secret.slice(5)),
      followsWord: () => true,
    },
  ),
  prefixed('slack_configuration_token', ['xoxe.xoxb-', 'xoxe.xoxp-', 'xoxe-'], '\\d-[A-Za-z0-9]{60,400}', {
    minEntropy: 3.5,
    followsWord: isRandom,
  }),
  prefixed('slack_legacy_workspace_token', ['xoxa-', 'xoxr-'], '[A-Za-z0-9]{8,48}', {
    minEntropy: 2.5,
    accepts: hasDigitAndLetter,
  }),
  prefixed('slack_workspace_token', ['xoxa-', 'xoxr-'], '\\d-[A-Za-z0-9]{8,48}', {
    minEntropy: 1,
    accepts: (secret) => /\d/.test(secret.slice(7)),
  }),
  longRun('slack_cookie', ['xoxd-'], '[A-Za-z0-9%+/=_-]', { minChars: 64, maxChars: 1100, minEntropy: 3.5 }),
  prefixed('slack_app_token', ['xapp-'], '\\d-[A-Za-z0-9]{8,16}-\\d{8,16}-[A-Za-z0-9]{20,128}', {
    followsWord: () => true,
  }),
  prefixed('slack_webhook', ['hooks.slack.com/'], '(?:services|workflows|triggers)/[A-Za-z0-9+/]{36,80}', {
    notBefore: '',
    minEntropy: 3.5,
  }),
  prefixed(
    'discord_webhook',
    ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    '\\d{17,20}/[A-Za-z0-9_-]{60,80}',
    { notBefore: '', minEntropy: 3.5 },
  ),
  {
    id: 'discord_bot_token',
    keywords: DISCORD_BEGINNINGS,
    anchor: 'head',
    pattern: /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])/y,
    maxChars: 90,
    minEntropy: 3.5,
    startsRun: true,
    accepts: isMixed,
  },
  assignedSecret('discord_secret', ['discord'], '[a-f0-9]{64}', { accepts: hasDigitAndLetter }),
  {
    id: 'telegram_bot_token',
    keywords: [':aa'],
    anchor: 'inner',
    pattern: /(?:bot)?(\d{8,11}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])/y,
    lead: { maxChars: MAX_DIGITS + 'bot'.length, startOf: startOfBot },
    maxChars: 51,
    minEntropy: 3.5,
  },
  assignedSecret(
    'telegram_bot_token_named',
    ['telegram', 'telegr', 'tg_bot', 'tgbot', 'bot_token', 'bottoken'],
    '\\d{5,16}:A[A-Za-z0-9_-]{34}',
    { notBefore: '(?![A-Za-z0-9_-])', minEntropy: 3.5 },
  ),
  prefixed(
    'teams_webhook',
    ['webhook.office.com/webhookb2/'],
    '[a-f0-9-]{36}@[a-f0-9-]{36}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36}',
    { notBefore: '' },
  ),
];

/** Returns the start of the key around a marker, or -1 if there is no `sk-`. */
function startOfOpenAiKey(text: string, markerStart: number): number {
  const before = text.slice(Math.max(0, markerStart - MAX_OPENAI_LEAD_CHARS), markerStart);
  const offset = markerStart - before.length;
  if (!before.includes('sk-')) return -1;
  const runStart = before.search(/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]+$/);
  for (let at = before.indexOf('sk-', runStart); at !== -1; at = before.indexOf('sk-', at + 1)) {
    if (startsToken(text, offset + at)) return offset + at;
  }
  return -1;
}

/** Returns the start of the digits before the colon, or of `bot` before them: `api.telegram.org/bot123:AA...`. */
function startOfBot(text: string, keywordStart: number): number {
  let start = keywordStart;
  while (keywordStart - start < MAX_DIGITS && /\d/.test(text[start - 1] ?? '')) start -= 1;
  return text.startsWith('bot', start - 3) ? start - 3 : start;
}

export const secretRules: readonly SecretRule[] = [
  ...cloudKeys,
  ...providerKeys,
  ...repositoryTokens,
  ...chatTokens,
  jsonWebToken,
  encodedJsonWebToken,
  pemPrivateKey,
  encodedPemPrivateKey,
  ...otherSecrets,
];

/** Maximum length of the undecided end of a text, which stream scanners hold back. */
export const MAX_SECRET_CHARS = Math.max(...secretRules.map((rule) => rule.maxChars));
