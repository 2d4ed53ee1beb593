/** Any other text becomes `other`, so arbitrary client text never becomes a label. */
const MODEL = /^[\w.:/@+-]{1,128}$/;
/** Matches owner names: printable characters and spaces. Operators and token issuers set them. */
const OWNER = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,128}$/u;
const OTHER = 'other';
/** Label for keys without an owner; `gateway spend` shows the same. */
const NO_OWNER = '-';

/** Returns a function that maps a model to its label in `gateway_model_spend_usd_total`. */
export function createModelLabels(maxModels: number): (model: string | undefined) => string {
  const label = createFirstLabels(MODEL, maxModels);
  return (model) => (model === undefined ? OTHER : label(model));
}

/** Returns a function that maps an owner to its label in `gateway_owner_spend_usd_total`. */
export function createOwnerLabels(maxOwners: number): (owner: string | undefined) => string {
  const label = createFirstLabels(OWNER, maxOwners);
  return (owner) => (owner === undefined || owner === '' ? NO_OWNER : label(owner));
}

/** Keeps the first `max` names, and never evicts a name, because a counter must not decrease. */
function createFirstLabels(pattern: RegExp, max: number): (name: string) => string {
  const named = new Set<string>();
  return (name) => {
    if (named.has(name)) return name;
    if (named.size >= max || !pattern.test(name)) return OTHER;
    named.add(name);
    return name;
  };
}
