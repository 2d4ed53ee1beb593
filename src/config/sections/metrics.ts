import { count, section } from '../fields.ts';

export const metrics = section({
  budget_keys: count
    .max(500)
    .default(0)
    .describe(
      'Number of keys with `gateway_budget_used_ratio`, for each worker: those that were charged last. 0: none.',
    ),
  spend_models: count
    .max(500)
    .default(0)
    .describe(
      'Number of models with `gateway_model_spend_usd_total`, for each worker: those that were charged first. All further ones are `other`. 0: none.',
    ),
  spend_owners: count
    .max(500)
    .default(0)
    .describe(
      'Number of owners of keys with `gateway_owner_spend_usd_total`, for each worker: those that were charged first. All further ones are `other`. 0: none.',
    ),
})
  .prefault({})
  .describe('Metrics whose labels are not from closed sets. See docs/telemetry.md.');
