import { driftDetection } from '../../checks/drift/config.ts';
import { sessionSettings } from '../../checks/session/config.ts';
import { section } from '../fields.ts';

/** Sessions and multi-turn drift (docs/sessions.md, docs/drift.md). */
export const sessionSection = section({ ...sessionSettings, drift_detection: driftDetection }).prefault({});
