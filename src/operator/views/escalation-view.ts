import type { Escalation } from '../../escalation/escalation.ts';
import { hasRole, type Role } from '../sign-in/roles.ts';

/** Returns a pending request as the role may see it: arguments and prompts are only for approvers. */
export function forRole(escalation: Escalation, role: Role): Escalation {
  return hasRole(role, 'approver') ? escalation : { ...escalation, arguments: '', prompt_text: '' };
}
