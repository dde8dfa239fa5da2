/** A role as the API returns it. */
import type { operations } from "../../api/client.ts";

export type Role =
  operations["get_v3_roles"]["responses"][200]["content"]["application/json"]["roles"][number];
