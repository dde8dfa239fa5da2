/** A login protocol of a test's own: a ticket with attributes in JSON, signed by HMAC with a secret of the settings. */
import { createHmac, timingSafeEqual } from "node:crypto";

import { Type } from "typebox";

import { asVerified } from "../../../src/federation/assertion-verifier.js";
import { AssertionRefusedError } from "../../../src/federation/federation-errors.js";
import type { ProtocolType } from "../../../src/federation/protocols/protocol-type.js";
import { failed, passed } from "../../../src/federation/provider-checks/check.js";
import { ProtocolSettingsError } from "../../../src/identity-providers/identity-provider-errors.js";
import {
  settingsSchema,
  type PublicSettings,
} from "../../../src/identity-providers/protocols/protocol-settings.js";

interface TicketSettings extends PublicSettings {
  readonly header: string;
  readonly ticket_secret?: string;
}

const macOf = (text: string, secret: string): Buffer => createHmac("sha256", secret).update(text).digest();

export function ticketOf(attributes: object, secret: string): string {
  const text = Buffer.from(JSON.stringify(attributes)).toString("base64url");
  return `${text}.${macOf(text, secret).toString("base64url")}`;
}

export const ticketProtocol: ProtocolType<TicketSettings> = {
  type: "ticket",
  title: "Tickets",
  schema: settingsSchema("ticket", {
    header: Type.String({ minLength: 1 }),
    ticket_secret: Type.Optional(Type.String({ minLength: 16, writeOnly: true })),
  }),
  secrets: ["ticket_secret"],
  isLimited: true,
  loginChecks: ["signature"],
  testRequests: {
    access_token: { maxLength: 4096, request: (ticket) => ({ headers: { "x-ticket": ticket } }) },
  },
  check({ header }) {
    if (header === "cookie") throw new ProtocolSettingsError('settings: "header" is "cookie"');
  },
  logsBrowsersIn: () => false,
  checks: ({ open }) => ({
    secret: async () => {
      const { ticket_secret: secret } = (await open()) as TicketSettings;
      return [secret === undefined ? failed("ticket_secret is missing") : passed("ticket_secret is set")];
    },
  }),
  register: ({ header }, url) => ({
    ticket_url: url,
    ...(header !== undefined && { ticket_header: header }),
  }),
  findKeys: async () => ({
    keys: [{ id: "mac", algorithm: "HS256", expiresAt: undefined, fault: undefined }],
  }),
  open: () => ({
    async verify({ headers, origin, trace }, { idpId, id, settings }) {
      const [text = "", given = ""] = String(headers[settings.header]).split(".");
      const mac = Buffer.from(given, "base64url");
      const expected = macOf(text, settings.ticket_secret ?? "");
      if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
        throw new AssertionRefusedError({ step: "signature", reason: "the ticket's MAC does not verify" });
      trace?.passed({ check: "signature", message: "the ticket's MAC verifies" });
      const attributes = JSON.parse(Buffer.from(text, "base64url").toString()) as Record<string, unknown>;
      const remoteId = String(attributes["IDP"]);
      return asVerified({
        identityProviderId: idpId,
        protocolId: id,
        remoteId,
        attributes,
        expiresAt: undefined,
        origin,
      });
    },
  }),
};
