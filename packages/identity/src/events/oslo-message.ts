/** The envelope of notifications, as oslo.messaging sends them. */
import { formatTimestamp } from "../platform/clock.js";
import { payloadOf, type PayloadOptions } from "./cadf.js";
import { eventTypeOf, type EventRecord } from "./event-record.js";

export interface EnvelopeOptions extends PayloadOptions {
  /** After `identity.`. */
  readonly publisherId: string;
}

/** The body of a message. Its ids are the same each time that an event is sent: consumers of oslo.messaging drop duplicates by them. */
export function osloMessage(record: EventRecord, options: EnvelopeOptions): string {
  const message = {
    message_id: record.id,
    publisher_id: `identity.${options.publisherId}`,
    event_type: eventTypeOf(record.event),
    priority: "INFO",
    payload: payloadOf(record, options),
    timestamp: formatTimestamp(record.at).replace("T", " ").replace("Z", ""),
    _unique_id: record.id.replaceAll("-", ""),
  };
  return JSON.stringify({ "oslo.version": "2.0", "oslo.message": JSON.stringify(message) });
}
