import { relative } from 'node:path';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest files, slowest first: one that starts when all others are done prolongs the whole run. A fresh
 * checkout has no durations, and a file's size is no indication.
 */
const LONGEST = [
  // It builds Helm on a fresh machine.
  'test/integration/deploy/helm-chart.test.ts',
  'test/integration/turns.test.ts',
  'test/unit/patterns.test.ts',
  'test/unit/policy/rego/hostile.test.ts',
  'test/unit/checks/dlp/interrupted-findings.test.ts',
  'test/unit/cli/policy/dead.test.ts',
  'test/unit/cli/main.test.ts',
  'test/unit/policy/live-policies.test.ts',
  'test/unit/verify/threads.test.ts',
  'test/unit/policy/rego/tenants.test.ts',
  'test/unit/checks/dlp/dialect-sweep.test.ts',
  'test/unit/detectors/secrets/stream.test.ts',
  'test/integration/settings.test.ts',
  'test/e2e/gates.test.ts',
  'test/e2e/fail-closed.test.ts',
  'test/e2e/serve.test.ts',
  'test/e2e/streams-long.test.ts',
  'test/e2e/dlp.test.ts',
  'test/e2e/policy/rego.test.ts',
  'test/integration/coding-files.test.ts',
  'test/e2e/approvals.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/operator/views.test.ts',
  'test/e2e/budgets/charges.test.ts',
  'test/e2e/policy/presets.test.ts',
  'test/integration/deploy/alert-rules.test.ts',
  'test/e2e/timeouts.test.ts',
  'test/e2e/policy/operators.test.ts',
  'test/e2e/exec.test.ts',
  'test/e2e/certificates.test.ts',
  'test/e2e/open-requests.test.ts',
  'test/e2e/sdk/plain.test.ts',
  'test/e2e/operator/changes.test.ts',
  'test/e2e/policy/tenants.test.ts',
  'test/e2e/metrics.test.ts',
  'test/e2e/policy/near-misses.test.ts',
  'test/e2e/edge.test.ts',
  'test/e2e/redis-groups.test.ts',
  'test/e2e/external-envoy.test.ts',
  'test/e2e/policy/mask.test.ts',
  'test/e2e/redis-changes.test.ts',
  'test/integration/cli/completion.test.ts',
  'test/e2e/error-format.test.ts',
  'test/e2e/sdk/compatible.test.ts',
  'test/integration/redis/connection-watch.test.ts',
  'test/e2e/budgets/limits.test.ts',
  'test/e2e/conduct-restarts.test.ts',
  'test/integration/checks/session/store.test.ts',
  'test/e2e/routes-fallbacks.test.ts',
  'test/e2e/policy/words-in-disguise.test.ts',
  'test/e2e/mcp/breaker.test.ts',
  'test/e2e/policy/hostile.test.ts',
  'test/e2e/rate-limit.test.ts',
  'test/e2e/budgets/answers.test.ts',
  'test/e2e/sdk/dlp-streams.test.ts',
  'test/e2e/policy/cards.test.ts',
  'test/e2e/sent-upstream.test.ts',
  'test/e2e/operator/outage.test.ts',
  'test/e2e/dashboards.test.ts',
  'test/e2e/mcp/edge.test.ts',
  'test/e2e/secrets.test.ts',
  'test/e2e/provider-credentials.test.ts',
  'test/e2e/logs.test.ts',
  'test/e2e/reload.test.ts',
  'test/e2e/provider-answers.test.ts',
  'test/e2e/mcp/inspector.test.ts',
  'test/e2e/mcp/sessions.test.ts',
  'test/e2e/loops.test.ts',
  'test/e2e/operator/sign-in.test.ts',
  'test/e2e/policy/states.test.ts',
  'test/e2e/mcp/methods.test.ts',
  'test/e2e/sessions.test.ts',
  'test/e2e/stored-forms.test.ts',
  'test/e2e/drift.test.ts',
  'test/e2e/identity.test.ts',
  'test/e2e/quarantine.test.ts',
  'test/e2e/overload.test.ts',
  'test/e2e/mcp/gate.test.ts',
];

/**
 * Vitest's order for the files of all parallel projects, after the slowest ones. A project's
 * files are grouped: a worker that shares its modules continues only if the next file is of the same project.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) =>
        this.#rank(one) - this.#rank(other) || one.project.name.localeCompare(other.project.name),
    );
  }

  #rank(file: TestSpecification): number {
    const place = LONGEST.indexOf(relative(this.ctx.config.root, file.moduleId));
    return place === -1 ? LONGEST.length : place;
  }
}
