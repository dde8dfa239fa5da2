/** The bodies of responses that these pages read, as the service's API document describes them. */
import type { paths } from "../../../api/client.ts";

type Body<Path extends keyof paths, Method extends "get" | "post"> = paths[Path][Method] extends {
  responses: { 200: { content: { "application/json": infer Content } } };
}
  ? Content
  : never;

export interface Schemas {
  readonly evaluation: Body<"/v3/OS-FEDERATION/mappings/evaluate", "post">;
  readonly lint: Body<"/v3/OS-FEDERATION/mappings/lint", "post">;
  readonly replay: Body<"/v3/OS-FEDERATION/mappings/{mapping_id}/replay", "post">["replay"];
  readonly protocol: Body<"/v3/OS-FEDERATION/protocols", "get">["protocols"][number];
  readonly mapping: Body<"/v3/OS-FEDERATION/mappings", "get">["mappings"][number];
  readonly recordedLogin: Body<
    "/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/recording/logins",
    "get"
  >["recorded_logins"][number];
}
