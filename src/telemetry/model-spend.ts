/** A model's name as a label. Other text is `other`, so that nothing a client writes at will becomes one. */
const NAME = /^[\w.:/@+-]{1,128}$/;
const OTHER = 'other';

/**
 * Returns a function that names a model in `gateway_model_spend_usd_total`: the first `maxModels` models by their names,
 * all further ones as `other`. A counter cannot forget a model, since its sum would fall.
 */
export function createModelLabels(maxModels: number): (model: string | undefined) => string {
  const named = new Set<string>();
  return (model) => {
    if (model === undefined || !NAME.test(model)) return OTHER;
    if (named.has(model)) return model;
    if (named.size >= maxModels) return OTHER;
    named.add(model);
    return model;
  };
}
