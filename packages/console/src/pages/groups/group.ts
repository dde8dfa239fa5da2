/** A group as the API returns it. */
import type { operations } from "../../api/client.ts";

export type Group =
  operations["get_v3_groups"]["responses"][200]["content"]["application/json"]["groups"][number];
