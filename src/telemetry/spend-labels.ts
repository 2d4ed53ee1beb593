/** Matches model names. Any other text becomes `other`, so that prose from clients is never a label. */
const MODEL = /^[\w.:/@+-]{1,128}$/;
/** Matches owners, which are set by operators and token issuers: words, separated by spaces. */
const OWNER = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,128}$/u;
const OTHER = 'other';
/** Shown in `gateway spend` for keys without an owner. */
const NO_OWNER = '-';

/** Creates the labels of models in `gateway_model_spend_usd_total`. */
export function createModelLabels(maxModels: number): (model: string | undefined) => string {
  const label = createFirstLabels(MODEL, maxModels);
  return (model) => (model === undefined ? OTHER : label(model));
}

/** Creates the labels of owners in `gateway_owner_spend_usd_total`. */
export function createOwnerLabels(maxOwners: number): (owner: string | undefined) => string {
  const label = createFirstLabels(OWNER, maxOwners);
  return (owner) => (owner === undefined || owner === '' ? NO_OWNER : label(owner));
}

/**
 * Keeps the first `max` names; all further names become `other`. A counter must not drop a name: its sum would fall.
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
