import type { Provider } from '../providers/provider.ts';

/**
 * Path segments that manage an account, its keys, money, models or machines, or that issue a credential
 * usable without the gateway. Lower case, without `-` and `_`.
 */
const SEGMENTS: ReadonlySet<string> = new Set(
  `account accounts admin administration adapter adapters apikey apikeys audit auditlogs authtokens balance
   billing certificate certificates chatkit checkpoints clientsecret clientsecrets cluster clusters connectors cost
   costs credential credentials credit credits customers debug deployment endpoint endpoints finetune finetunes
   finetuning finetunings group groups hardware health iam instances invite invites invoice invoices key keys
   limits logs lora loras member members metrics oauth org organization organizations orgs payment payments
   permission permissions policies project projects provisioning quota quotas ratelimits realtime register role
   roles secret secrets serviceaccount serviceaccounts settings sso subscriptions team teams token tokens training
   tunedmodels usage user users webhook webhooks whoami workspace workspaces`.split(/\s+/),
);

/** First words of segments that act on a server or its stored data. */
const VERBS =
  /^(?:archive|delete|deploy|destroy|load|purge|reload|remove|reset|restart|revoke|rotate|shutdown|transfer|undeploy|unload)(?:$|[_-])/;

/**
 * Reports whether a path is closed to every proxy key, regardless of `proxy.unknown_endpoints`. On a
 * self-hosted server these are all paths that use no model: most of them manage the server, which asks for no
 * credential.
 */
export function isAdministrative(provider: Provider, path: string): boolean {
  if (provider.selfHosted) return provider.openable?.test(path) !== true;
  const parts = path
    .toLowerCase()
    .split(/[/:]/)
    .filter((part) => part !== '');
  return parts.some((part, index) => isManaging(part, index === parts.length - 1));
}

function isManaging(part: string, isLast: boolean): boolean {
  const plain = part.replaceAll(/[-_]/g, '');
  // A deployment's endpoints follow its name; the list of deployments itself is administrative.
  return SEGMENTS.has(plain) || VERBS.test(part) || (isLast && plain === 'deployments');
}
