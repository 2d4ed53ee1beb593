import { readMediaType } from '../media-type.ts';
import type { StreamEvent } from '../providers/provider.ts';

/** Some clients read events in the answer to a GET whatever its type says, and would read others than were judged. */
export function isOfEvents(contentType: string | undefined): boolean {
  return readMediaType(contentType).essence === 'text/event-stream';
}

/** Events of another name (`ping`, `endpoint`) are not for the protocol, nor is what stands beside an event's data. */
export function isForMessages({ frame: { event: name }, sideband }: StreamEvent): boolean {
  return sideband !== true && (name === undefined || name === '' || name === 'message');
}
