import {
  CODE,
  CONNECTION_ID,
  ConnectionError,
  FIRST_WINDOW,
  FRAME,
  frame,
  MAX_PAYLOAD_BYTES,
  MAX_WINDOW,
  uint32,
  type Http2Frame,
} from './frame.ts';
import { LIMITS } from './limits.ts';

/** RFC 9113 section 6.5.2. */
export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

const SETTING_BYTES = 6;
const MAX_FRAME_SIZE = 0xff_ffff;
/** Maximum number of settings in a frame, far above the six in use. */
const MAX_SETTINGS = 64;

export const GREETING =
  frame(
    FRAME.settings,
    0,
    CONNECTION_ID,
    setting(SETTING.maxConcurrentStreams, LIMITS.streams) +
      setting(SETTING.initialWindowSize, LIMITS.streamWindowBytes) +
      setting(SETTING.maxHeaderListSize, LIMITS.headerListBytes),
  ) + frame(FRAME.windowUpdate, 0, CONNECTION_ID, uint32(LIMITS.connectionWindowBytes - FIRST_WINDOW));

function setting(id: number, value: number): string {
  return String.fromCharCode(id >>> 8, id & 0xff) + uint32(value);
}

/** Returns the settings in order. Throws ConnectionError. */
export function readSettings({ bytes, from, to }: Http2Frame): (readonly [number, number])[] {
  if ((to - from) % SETTING_BYTES !== 0) {
    throw new ConnectionError(CODE.frameSizeError, 'a SETTINGS frame ends within a setting');
  }
  if (to - from > MAX_SETTINGS * SETTING_BYTES) {
    throw new ConnectionError(CODE.enhanceYourCalm, 'a SETTINGS frame has too many settings');
  }
  const settings: (readonly [number, number])[] = [];
  for (let at = from; at < to; at += SETTING_BYTES) {
    const id = bytes.readUInt16BE(at);
    const value = bytes.readUInt32BE(at + 2);
    assertValid(id, value);
    settings.push([id, value]);
  }
  return settings;
}

function assertValid(id: number, value: number): void {
  if (id === SETTING.enablePush && value > 1) {
    throw new ConnectionError(CODE.protocolError, 'SETTINGS_ENABLE_PUSH must be 0 or 1');
  }
  if (id === SETTING.initialWindowSize && value > MAX_WINDOW) {
    throw new ConnectionError(CODE.flowControlError, 'SETTINGS_INITIAL_WINDOW_SIZE is too large');
  }
  if (id === SETTING.maxFrameSize && (value < MAX_PAYLOAD_BYTES || value > MAX_FRAME_SIZE)) {
    throw new ConnectionError(CODE.protocolError, 'SETTINGS_MAX_FRAME_SIZE is out of range');
  }
}
