import type { operations } from "../../api/client.ts";

/** A domain as the API returns it. */
export type DomainRecord =
  operations["get_v3_domains"]["responses"][200]["content"]["application/json"]["domains"][number];
