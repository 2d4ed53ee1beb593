import type { Escalation } from '../../escalation/escalation.ts';
import { hasRole, type Role } from '../sign-in/roles.ts';

/** Returns a waiting request as this role may see it: only approvers see its arguments. */
export function forRole(escalation: Escalation, role: Role): Escalation {
  return hasRole(role, 'approver') ? escalation : { ...escalation, arguments: '' };
}
