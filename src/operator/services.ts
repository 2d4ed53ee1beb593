import type { Config } from '../config/schema.ts';
import type { DefinitionStore } from '../checks/mcp-inspector/definition-store.ts';
import type { BreakerStore } from '../checks/mcp-breaker/store.ts';
import type { Feed } from './decisions/feed.ts';
import type { GatewayStore } from './gateways/gateway-store.ts';
import type { RedisInfoStore } from './redis-info-store.ts';
import type { KeySurveys } from './survey/key-surveys.ts';
import type { SpendReports } from './spend-reports.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { MadeChanges } from './made-change-store.ts';
import type { ApiTokens } from './sign-in/tokens.ts';
import type { SignInAttempts } from './sign-in/attempt-store.ts';
import type { PagePassword } from './sign-in/password-store.ts';
import type { PageSessions } from './sign-in/session-store.ts';
import type { RedisOperations } from './redis-operations.ts';

export interface PageServices {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly operations: RedisOperations;
  readonly sessions: PageSessions;
  readonly password: PagePassword;
  readonly attempts: SignInAttempts;
  readonly tokens: ApiTokens;
  readonly madeChanges: MadeChanges;
  readonly feed: Feed;
  readonly surveys: KeySurveys;
  readonly gateways: GatewayStore;
  readonly redis: RedisInfoStore;
  readonly definitions: Pick<DefinitionStore, 'read'>;
  readonly circuits: Pick<BreakerStore, 'read'>;
  readonly spend: SpendReports;
}
