/** Identity provider and protocol of a login in revocation events. */
import type { Migration } from "../platform/database/migrations.js";

export const providerRevocations: Migration = {
  name: "0013-provider-revocations",
  async up({ schema }, types) {
    await schema.alterTable("revocation_event").addColumn("identity_provider_id", types.text).execute();
    await schema.alterTable("revocation_event").addColumn("protocol_id", types.text).execute();
  },
};
