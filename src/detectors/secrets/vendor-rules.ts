import {
  END_OF_BASE64,
  EXACT,
  EXACT_BASE64URL,
  EXACT_HEX,
  longRun,
  assignedSecret,
  NOT_BEFORE_CAPITAL,
  NOT_BEFORE_HEX,
  NOT_BEFORE_SMALL,
  prefixed,
  type SecretRule,
} from './rule.ts';
import { hasDigitAndLetter, isMixed, isRandom } from './randomness.ts';

const HEX_32 = '[a-fA-F0-9]{32}';

/** Prefixed tokens of services other than clouds, providers, repositories and chats. */
const prefixedTokens: readonly SecretRule[] = [
  prefixed('npm_token', ['npm_'], '[A-Za-z0-9]{36}', EXACT),
  prefixed('pypi_token', ['pypi-AgEIcHlwaS5vcmc', 'pypi-AgENdGVzdC5weXBpLm9yZw'], '[A-Za-z0-9_-]{50,1000}', {
    notBefore: '',
    maxChars: 1040,
    startsRun: true,
    followsWord: isRandom,
  }),
  prefixed('rubygems_token', ['rubygems_'], '[a-f0-9]{48}', EXACT_HEX),
  prefixed('clojars_token', ['CLOJARS_'], '[A-Za-z0-9]{60}', EXACT),
  prefixed('docker_token', ['dckr_pat_', 'dckr_oat_'], '[A-Za-z0-9_-]{27,32}', EXACT_BASE64URL),
  prefixed('artifactory_token', ['AKCp'], '[A-Za-z0-9]{69}', EXACT),
  prefixed(
    'stripe_key',
    ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    '[A-Za-z0-9]{16,128}',
    { followsWord: isRandom },
  ),
  prefixed('webhook_secret', ['whsec_'], '[A-Za-z0-9+/]{32,64}={0,2}', {
    notBefore: '',
    followsWord: isRandom,
  }),
  prefixed('sendgrid_key', ['SG.'], '[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{39,50}', {
    minEntropy: 3.5,
    followsWord: isRandom,
  }),
  prefixed('brevo_key', ['xkeysib-', 'xsmtpsib-'], '[a-f0-9]{64}-[A-Za-z0-9]{16}', EXACT),
  prefixed('twilio_key', ['SK'], '[0-9a-f]{32}', { notBefore: NOT_BEFORE_HEX, accepts: hasDigitAndLetter }),
  prefixed('digitalocean_token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], '[a-f0-9]{64}', EXACT_HEX),
  prefixed('databricks_token', ['dapi'], '[a-f0-9]{32}(?:-\\d{1,2})?', { notBefore: NOT_BEFORE_HEX }),
  prefixed('grafana_service_token', ['glsa_'], '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}', EXACT_HEX),
  prefixed('grafana_cloud_token', ['glc_'], '[A-Za-z0-9+/]{32,400}={0,2}', {
    notBefore: '',
    minEntropy: 3.5,
  }),
  prefixed('grafana_api_key', ['eyJrIjoi'], '[A-Za-z0-9+/]{60,400}={0,3}', {
    notBefore: '',
    minEntropy: 3.5,
  }),
  prefixed('linear_token', ['lin_api_', 'lin_oauth_'], '[A-Za-z0-9]{32,64}', { followsWord: isRandom }),
  prefixed('postman_key', ['PMAK-'], '[a-f0-9]{24}-[a-f0-9]{34}', EXACT_HEX),
  prefixed('shopify_token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], HEX_32, EXACT_HEX),
  prefixed(
    'doppler_token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    '(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}',
    { followsWord: isRandom },
  ),
  prefixed('vault_token', ['hvs.', 'hvb.', 'hvr.'], '[A-Za-z0-9_-]{24,512}', {
    notBefore: '',
    maxChars: 520,
    minEntropy: 3.5,
    followsWord: isRandom,
  }),
  prefixed('terraform_token', ['.atlasv1.'], '[A-Za-z0-9_=-]{60,72}', { notBefore: '', minEntropy: 3.5 }),
  prefixed('airtable_token', ['pat'], '[A-Za-z0-9]{14}\\.[a-f0-9]{64}', { notBefore: NOT_BEFORE_HEX }),
  prefixed('asana_token', ['2/'], '\\d{16}/\\d{16}:[a-f0-9]{32}', { notBefore: NOT_BEFORE_HEX }),
  prefixed(
    'notion_token',
    ['ntn_', 'secret_'],
    '(?<=ntn_)\\d{11}[A-Za-z0-9]{35}|(?<=secret_)[A-Za-z0-9]{43}',
    {
      ...EXACT,
      followsWord: isMixed,
      precedesWord: isMixed,
      minEntropy: 3.5,
      accepts: isMixed,
    },
  ),
  prefixed('figma_token', ['figd_', 'figo_'], '[A-Za-z0-9_-]{40,64}', {
    notBefore: '',
    followsWord: isRandom,
  }),
  prefixed('sentry_user_token', ['sntryu_', 'sntrya_', 'sntryi_'], '[a-f0-9]{64}', EXACT_HEX),
  prefixed('sentry_org_token', ['sntrys_eyJ'], '[A-Za-z0-9+/]{30,400}={0,2}_[A-Za-z0-9+/]{43}', {
    notBefore: '(?![A-Za-z0-9+/])',
  }),
  prefixed('new_relic_key', ['NRAK-', 'NRJS-', 'NRII-', 'NRSP-', 'NRRA-'], '[A-Za-z0-9-]{19,64}', {
    followsWord: isRandom,
  }),
  prefixed('pulumi_token', ['pul-'], '[a-f0-9]{40}', EXACT_HEX),
  prefixed('prefect_token', ['pnu_'], '[A-Za-z0-9]{36}', EXACT),
  prefixed('planetscale_token', ['pscale_pw_', 'pscale_tkn_', 'pscale_oauth_'], '[A-Za-z0-9_.=-]{32,64}', {
    notBefore: '',
  }),
  prefixed('typeform_token', ['tfp_'], '[A-Za-z0-9_.=-]{59}', { notBefore: '' }),
  prefixed('readme_token', ['rdme_'], '[a-z0-9]{70}', EXACT),
  prefixed('sourcegraph_token', ['sgp_'], '(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}', EXACT_HEX),
  prefixed('sonar_token', ['sqp_', 'squ_', 'sqa_'], '[A-Za-z0-9]{40}', EXACT),
  longRun('flyio_token', ['fo1_', 'fm1_', 'fm1a_', 'fm1r_', 'fm2_'], '[A-Za-z0-9+/_-]', {
    minChars: 40,
    maxChars: 1520,
    minEntropy: 3.5,
    accepts: (secret) => secret.startsWith('fo1_') || secret.length >= 100,
  }),
  prefixed('dynatrace_token', ['dt0c01.'], '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}', EXACT),
  prefixed('easypost_key', ['EZTK', 'EZAK'], '[A-Za-z0-9]{54}', EXACT),
  prefixed('duffel_token', ['duffel_test_', 'duffel_live_'], '[A-Za-z0-9_=-]{43}', { notBefore: '' }),
  prefixed('frameio_token', ['fio-u-'], '[A-Za-z0-9_=-]{64}', { notBefore: '' }),
  prefixed(
    'flutterwave_key',
    ['FLWSECK_TEST-', 'FLWSECK-', 'FLWPUBK_TEST-', 'FLWPUBK-'],
    '[a-zA-Z0-9]{12,32}(?:-X)?',
    { minEntropy: 2.5 },
  ),
  prefixed('square_token', ['EAAA', 'sq0atp-', 'sq0csp-'], '[A-Za-z0-9_-]{60}|(?<=-)[A-Za-z0-9_-]{22,43}', {
    notBefore: END_OF_BASE64,
    minEntropy: 3.5,
    accepts: isMixed,
  }),
  prefixed('facebook_token', ['EAAC', 'EAAM', 'EAAB', 'EAAD', 'EAAG'], '[A-Za-z0-9]{96,400}', {
    notBefore: END_OF_BASE64,
    minEntropy: 3.5,
    accepts: isMixed,
  }),
  prefixed('settlemint_token', ['sm_aat_', 'sm_pat_', 'sm_sat_'], '[A-Za-z0-9]{16}'),
  prefixed('heroku_token', ['HRKU-'], '[A-Za-z0-9_-]{36,64}', { notBefore: '' }),
  prefixed('openshift_token', ['sha256~'], '[A-Za-z0-9_-]{43}', { ...EXACT_BASE64URL, minEntropy: 3.5 }),
  prefixed('octopus_key', ['API-'], '[A-Z0-9]{26}', {
    notBefore: NOT_BEFORE_CAPITAL,
    accepts: hasDigitAndLetter,
  }),
  prefixed('infracost_key', ['ico-'], '[A-Za-z0-9]{32}', { minEntropy: 3.5 }),
  prefixed('scalingo_token', ['tk-us-'], '[A-Za-z0-9_-]{48}', { notBefore: '' }),
  prefixed('cloudflare_origin_key', ['v1.0-'], '[a-f0-9]{24}-[a-f0-9]{146}', EXACT_HEX),
  longRun('onepassword_service_token', ['ops_eyJ'], '[A-Za-z0-9+/]', {
    minChars: 200,
    maxChars: 2100,
    minEntropy: 3.5,
  }),
  prefixed(
    'onepassword_secret_key',
    ['A3-'],
    '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}',
    { notBefore: NOT_BEFORE_CAPITAL, accepts: hasDigitAndLetter },
  ),
  prefixed('age_secret_key', ['AGE-SECRET-KEY-1'], '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}', {
    minEntropy: 0,
  }),
  prefixed('tailscale_key', ['tskey-'], '[a-z]{3,10}-[A-Za-z0-9]{8,24}(?:CNTRL)?-[A-Za-z0-9]{16,64}', {
    followsWord: isRandom,
  }),
  prefixed('supabase_token', ['sbp_', 'sb_secret_'], '[A-Za-z0-9_]{31,48}', {
    notBefore: '',
    accepts: hasDigitAndLetter,
  }),
  prefixed('posthog_key', ['phx_'], '[A-Za-z0-9]{40,64}', { followsWord: isRandom }),
  prefixed('yandex_key', ['AQVN'], '[A-Za-z0-9_-]{35,38}', { minEntropy: 3.5, accepts: isMixed }),
  prefixed('alibaba_access_key_id', ['LTAI'], '[A-Za-z0-9]{20}', { accepts: isMixed, minEntropy: 3.5 }),
  prefixed('adobe_client_secret', ['p8e-'], HEX_32, { notBefore: NOT_BEFORE_HEX }),
  prefixed('replicate_token', ['r8_'], '[A-Za-z0-9]{37}', { ...EXACT, minEntropy: 3.5 }),
  prefixed('nvidia_key', ['nvapi-'], '[A-Za-z0-9_-]{60,72}', {
    notBefore: '',
    minEntropy: 3.5,
    followsWord: isRandom,
  }),
  prefixed('cerebras_key', ['csk-'], '[a-z0-9]{48}', { notBefore: NOT_BEFORE_SMALL, minEntropy: 3.5 }),
  prefixed('langsmith_key', ['lsv2_pt_', 'lsv2_sk_'], '[a-f0-9]{32}_[a-f0-9]{10}', EXACT_HEX),
  prefixed('langfuse_key', ['sk-lf-'], '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}', EXACT_HEX),
  prefixed('elevenlabs_key', ['sk_'], '[a-f0-9]{48}', { notBefore: NOT_BEFORE_HEX }),
  prefixed('tavily_key', ['tvly-'], '(?:dev-|prod-)?[A-Za-z0-9]{32}', EXACT),
  prefixed('pinecone_key', ['pcsk_'], '[A-Za-z0-9]{4,8}_[A-Za-z0-9]{48,72}', {
    minEntropy: 3.5,
    followsWord: isRandom,
  }),
];

const MAILCHIMP = '[a-f0-9]{32}-us\\d{1,2}';
const UUID = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';

/** The most common tokens that only a name reveals. */
const namedTokens: readonly SecretRule[] = [
  assignedSecret('mailchimp_key', ['mailchimp'], MAILCHIMP),
  assignedSecret('mailgun_key', ['mailgun'], '(?:pub)?key-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}'),
  assignedSecret('datadog_key', ['datadog', 'dd_api_key', 'dd_app_key'], '[a-z0-9]{40}|[a-f0-9]{32}', {
    accepts: hasDigitAndLetter,
  }),
  assignedSecret('cloudflare_token', ['cloudflare'], '[A-Za-z0-9_-]{40}', {
    accepts: isMixed,
    minEntropy: 4,
  }),
  assignedSecret(
    'heroku_api_key',
    ['heroku_api_key', 'heroku_key', 'heroku_token', 'herokuapikey', 'herokutoken', 'heroku'],
    UUID,
  ),
  assignedSecret('snyk_token', ['snyk_token', 'snyk_api', 'snyktoken', 'snyk_key', 'snyk'], UUID, {
    minEntropy: 2.5,
  }),
  assignedSecret('okta_token', ['okta'], '00[A-Za-z0-9_-]{40}', { accepts: isMixed, minEntropy: 3.5 }),
  assignedSecret('vault_legacy_token', ['vault'], 's\\.[A-Za-z0-9]{24}', {
    accepts: isMixed,
    minEntropy: 3.5,
  }),
  assignedSecret(
    'twitter_secret',
    ['twitter'],
    '\\d{15,25}-[A-Za-z0-9]{20,40}|[A-Za-z0-9]{50}|[A-Za-z0-9]{25}',
    {
      accepts: hasDigitAndLetter,
      minEntropy: 3.5,
    },
  ),
  assignedSecret('facebook_secret', ['facebook'], '[a-f0-9]{32}|\\d{15,16}\\|[A-Za-z0-9_-]{27,40}', {
    accepts: hasDigitAndLetter,
  }),
  assignedSecret('launchdarkly_token', ['launchdarkly'], '[A-Za-z0-9_=-]{40}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('plaid_token', ['plaid'], `access-(?:sandbox|development|production)-${UUID}|[a-z0-9]{30}`, {
    accepts: hasDigitAndLetter,
  }),
  assignedSecret('zendesk_secret', ['zendesk'], '[a-z0-9]{40}', { accepts: hasDigitAndLetter }),
  assignedSecret('new_relic_secret', ['new-relic', 'newrelic', 'new_relic'], '[a-z0-9]{64}', {
    accepts: hasDigitAndLetter,
  }),
  assignedSecret('fastly_token', ['fastly'], '[A-Za-z0-9_=-]{32}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('maxmind_key', ['maxmind'], '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk'),
  assignedSecret('sumologic_secret', ['sumo'], '[A-Za-z0-9]{64}', { accepts: isMixed, minEntropy: 3.5 }),
  assignedSecret('contentful_token', ['contentful'], '[A-Za-z0-9_=-]{43}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('coinbase_token', ['coinbase'], '[A-Za-z0-9_-]{64}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('confluent_secret', ['confluent'], '[A-Za-z0-9]{64}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('rapidapi_key', ['rapidapi'], '[A-Za-z0-9_-]{50}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('sonar_legacy_token', ['sonar'], '[A-Fa-f0-9]{40}', { accepts: hasDigitAndLetter }),
  assignedSecret(
    'yandex_secret',
    ['yandex'],
    'YC[A-Za-z0-9_-]{38}|t1\\.[A-Za-z0-9_-]{1,80}\\.[A-Za-z0-9_-]{86}={0,2}',
    { notBefore: '', accepts: isMixed },
  ),
  assignedSecret('alibaba_secret', ['alibaba', 'aliyun', 'alicloud'], '[A-Za-z0-9]{30}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
  assignedSecret('wandb_key', ['wandb'], '[a-f0-9]{40}', { accepts: hasDigitAndLetter }),
  assignedSecret('atlassian_legacy_token', ['atlassian', 'confluence', 'jira'], '[A-Za-z0-9]{24}', {
    accepts: hasDigitAndLetter,
    minEntropy: 3.5,
  }),
];

export const otherSecrets: readonly SecretRule[] = [...prefixedTokens, ...namedTokens];
