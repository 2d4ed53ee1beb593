import type { ApprovalDecision } from '../../escalation/approval.ts';
import type { PageServices } from '../services.ts';
import { acceptPinBody, answerBody, endSessionBody } from './bodies.ts';
import { changeRoute } from './change.ts';
import type { Route } from './route.ts';
import { acceptedPins } from './schemas/rules.ts';
import { answeredEscalation } from './schemas/traffic.ts';
import { endedSession } from './schemas/keys.ts';

/** Changes other than those of keys: approvals, sessions, tool pins. */
export function otherChangeRoutes(services: PageServices): readonly Route[] {
  const { changes } = services.operations;
  return [
    answerRoute(services, 'approve', 'Let a waiting request go on'),
    answerRoute(services, 'deny', 'Refuse a waiting request'),
    changeRoute(services, {
      method: 'POST',
      path: '/api/sessions/{id}/end',
      summary: 'End a session of a key',
      role: 'operator',
      body: endSessionBody,
      answer: endedSession,
      async make({ params: { id = '' }, body }) {
        const made = await changes.endSession({ reference: body.key, sessionId: id });
        return { ...made, result: { changed: made.result.ended } };
      },
    }),
    changeRoute(services, {
      method: 'POST',
      path: '/api/mcp/pins/{server}/{tool}/accept',
      summary: 'Accept the changed definition of a tool that was looked at',
      role: 'operator',
      body: acceptPinBody,
      answer: acceptedPins,
      async make({ params: { server = '', tool = '' }, body: { digest } }) {
        const made = await changes.acceptPins({ server, tool, digest });
        return { ...made, result: { server, accepted: made.result.accepted } };
      },
    }),
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
