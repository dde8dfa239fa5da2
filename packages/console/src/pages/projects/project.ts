/** A project as the API returns it. */
import type { operations } from "../../api/client.ts";

export type Project =
  operations["get_v3_projects"]["responses"][200]["content"]["application/json"]["projects"][number];
