/** An HTTP address as a receiver of events: batches of JSON, signed, to public addresses unless others are allowed. */
import { createHmac } from "node:crypto";

import { createOutgoingFetch, type OutgoingRules } from "../../platform/outgoing/outgoing-requests.js";
import { eventView } from "../event-view.js";
import type { EventReceiver } from "./receiver.js";

export interface WebhookSettings {
  readonly url: string;
  /** Signs the bodies; they are not signed without it. */
  readonly secret?: string | undefined;
  readonly rules: OutgoingRules;
  /** Seconds since 1970. */
  readonly nowSeconds: () => number;
}

/** @returns A receiver to which an answer of 2xx means that it has the batch. */
export function createWebhookReceiver({ url, secret, rules, nowSeconds }: WebhookSettings): EventReceiver {
  const post = createOutgoingFetch(rules);
  return {
    name: "webhook",
    async send(events) {
      const body = JSON.stringify({ events: events.map(eventView) });
      const timestamp = String(nowSeconds());
      const response = await post(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(secret !== undefined && { "x-identity-signature": signatureOf(secret, timestamp, body) }),
        },
        body,
      });
      if (response.status < 200 || response.status > 299)
        throw new Error(`the webhook answered ${response.status}, expected 2xx`);
    },
    async close() {},
  };
}

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 over the time, a point, and the body. The time keeps others from sending a body again later. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `t=${timestamp},v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}
