/** Model names; other text becomes `other`, so that clients' prose is never a label. */
const MODEL = /^[\w.:/@+-]{1,128}$/;
/** Owners are set by operators and token issuers: words, with spaces between them. */
const OWNER = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,128}$/u;
const OTHER = 'other';
/** As `gateway spend` calls keys without an owner. */
const NO_OWNER = '-';

/** Returns a function that names a model in `gateway_model_spend_usd_total`. */
export function createModelLabels(maxModels: number): (model: string | undefined) => string {
  const label = createFirstLabels(MODEL, maxModels);
  return (model) => (model === undefined ? OTHER : label(model));
}

/** Returns a function that names a key's owner in `gateway_owner_spend_usd_total`. */
export function createOwnerLabels(maxOwners: number): (owner: string | undefined) => string {
  const label = createFirstLabels(OWNER, maxOwners);
  return (owner) => (owner === undefined || owner === '' ? NO_OWNER : label(owner));
}

/**
 * Returns a function that keeps the first `max` names, and calls all further ones `other`. A counter cannot forget a
 * name, since its sum would fall.
 */
function createFirstLabels(pattern: RegExp, max: number): (name: string) => string {
  const named = new Set<string>();
  return (name) => {
    if (named.has(name)) return name;
    if (named.size >= max || !pattern.test(name)) return OTHER;
    named.add(name);
    return name;
  };
}
