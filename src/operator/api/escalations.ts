import type { ApprovalDecision } from '../../escalation/approval.ts';
import type { PageServices } from '../services.ts';
import { forRole } from '../sign-in/roles.ts';
import { iso } from '../views/time.ts';
import { answerBody, pageQuery } from './bodies.ts';
import { changeRoute } from './change.ts';
import { listPage } from '../survey/page.ts';
import { route, type Route } from './route.ts';
import { answeredEscalation, escalations } from './schemas/traffic.ts';

export function escalationRoutes(services: PageServices): readonly Route[] {
  const { config, operations } = services;
  return [
    route({
      method: 'GET',
      path: '/api/escalations',
      summary: 'Requests that wait for approval, oldest first',
      role: 'viewer',
      owners: true,
      query: pageQuery,
      answer: escalations,
      handle: async ({ query, who }) => {
        const [waiting, now] = await Promise.all([
          operations.escalations.list(),
          operations.escalations.now(),
        ]);
        const shown = waiting
          .filter(({ owner }) => who.owner === undefined || owner === who.owner)
          .map((escalation) => forRole(escalation, who.role))
          .map(({ requested_at, expiry, ...rest }) => ({
            ...rest,
            requested_at: iso(requested_at),
            expiry: iso(expiry),
          }));
        return { ...listPage(shown, query), enabled: config.zsp.escalation_enabled, now: iso(now) };
      },
    }),
    answerRoute(services, 'approve', 'Approve a waiting request'),
    answerRoute(services, 'deny', 'Deny a waiting request'),
  ];
}

function answerRoute(services: PageServices, decision: ApprovalDecision, summary: string): Route {
  return changeRoute(services, {
    method: 'POST',
    path: `/api/escalations/{id}/${decision}`,
    summary,
    role: 'approver',
    body: answerBody,
    answer: answeredEscalation,
    async make({ params: { id = '' }, who }) {
      const made = await services.operations.changes.answerEscalation({ id, decision, approver: who.name });
      const outcome = decision === 'approve' ? 'approved' : 'denied';
      return { ...made, result: { id, outcome, changed: true } };
    },
  });
}
