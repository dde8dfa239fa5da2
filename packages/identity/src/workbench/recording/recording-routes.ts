/** Recordings of the logins of protocols, and the list of all protocols with their mappings and recordings. */
import type { ProtocolKey, StoredProtocol } from "../../identity-providers/protocols/protocol-store.js";
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import { isoTime } from "../../federation/leeway.js";
import { MAX_RECORDED_LOGINS, STANDARD_KEEP_DAYS, type LoginRecordings } from "./login-recordings.js";
import {
  ProtocolsQuery,
  ProtocolsResponse,
  RecordedLoginResponse,
  RecordedLoginsQuery,
  RecordedLoginsResponse,
  RecordingBody,
  RecordingResponse,
} from "./recording-schema.js";
import { recordingKey, type LoginRecording, type RecordedLogin } from "./recording-store.js";
import type { ProtocolSettings } from "../../identity-providers/protocols/protocol-settings.js";

export interface RecordingRoutesDeps {
  readonly loginRecordings: LoginRecordings;
  readonly protocols: {
    readonly settings: Pick<ProtocolSettings, "settingsOf">;
    readonly listAll: (mappingId?: string) => Promise<readonly StoredProtocol[]>;
  };
}

/** Logins of a page, where the request names no number. */
const STANDARD_PAGE = 100;

export function addRecordingRoutes(
  server: HttpServer,
  { prefix }: ExtensionPrefix,
  { loginRecordings, protocols }: RecordingRoutesDeps,
): void {
  const route = createRoutes(server, "identity providers");
  const path = `${prefix}/identity_providers/:idp_id/protocols/:protocol_id/recording` as const;
  // What is recorded is personal data of those who log in: for those alone who need it to change the mapping.
  const access = "identity:update_mapping";

  route("GET", path, {
    access: "identity:get_protocol",
    summary: "Shows what is recorded of the logins of a protocol",
    response: RecordingResponse,
    handle: async ({ params }) => ({ recording: view(await loginRecordings.get(keyOf(params))) }),
  });
  route("PUT", path, {
    access,
    auditedAs: "identity:create_login_recording",
    summary: "Begins to record logins of a protocol, or changes what is recorded",
    body: RecordingBody,
    response: RecordingResponse,
    async handle({ params, body: { recording: draft } }) {
      const { idpId, id: protocolId } = keyOf(params);
      const {
        attributes,
        max_logins: maxLogins = MAX_RECORDED_LOGINS,
        keep_days: keepDays = STANDARD_KEEP_DAYS,
      } = draft;
      return {
        recording: view(await loginRecordings.put({ idpId, protocolId, attributes, maxLogins, keepDays })),
      };
    },
  });
  route("DELETE", path, {
    access,
    auditedAs: "identity:delete_login_recording",
    summary: "Ends recording logins of a protocol, and deletes those that were recorded",
    handle: async ({ params }) => loginRecordings.delete(keyOf(params)),
  });
  route("GET", `${path}/logins`, {
    access,
    auditedAs: "identity:list_recorded_logins",
    summary: "Lists the recorded logins of a protocol, the latest first",
    query: RecordedLoginsQuery,
    response: RecordedLoginsResponse,
    async handle({ params, query }) {
      const limit = Math.min(Number(query.limit ?? STANDARD_PAGE), MAX_RECORDED_LOGINS);
      return { recorded_logins: (await loginRecordings.logins(keyOf(params), { limit })).map(loginView) };
    },
  });
  route("GET", `${path}/logins/:login_id`, {
    access,
    auditedAs: "identity:get_recorded_login",
    summary: "Shows a recorded login",
    response: RecordedLoginResponse,
    handle: async ({ params }) => ({
      recorded_login: loginView(await loginRecordings.login(keyOf(params), params.login_id)),
    }),
  });
  route("GET", `${prefix}/protocols`, {
    access: "identity:list_protocols",
    summary:
      "Lists the protocols of all identity providers, with their mappings and what is recorded of their logins",
    query: ProtocolsQuery,
    response: ProtocolsResponse,
    async handle({ query }) {
      const recordings = await loginRecordings.list();
      const all = await protocols.listAll(query.mapping_id);
      return {
        protocols: all.map(({ idpId, id, mappingId, settings }) => {
          const found = recordings.get(recordingKey({ idpId, id }));
          const latest = found?.latestAt ?? null;
          return {
            id,
            identity_provider_id: idpId,
            mapping_id: mappingId,
            type: protocols.settings.settingsOf(settings).type,
            recording:
              found === undefined
                ? null
                : {
                    ...view(found),
                    logins: found.logins,
                    latest_at: latest === null ? null : isoTime(latest),
                  },
          };
        }),
        login_recording: loginRecordings.isAllowed,
      };
    },
  });
}

function keyOf({
  idp_id: idpId,
  protocol_id: id,
}: Readonly<Record<"idp_id" | "protocol_id", string>>): ProtocolKey {
  return { idpId, id };
}

const view = ({ attributes, maxLogins, keepDays }: LoginRecording) => ({
  attributes,
  max_logins: maxLogins,
  keep_days: keepDays,
});

const loginView = ({ id, recordedAt, attributes }: RecordedLogin) => ({
  id,
  recorded_at: isoTime(recordedAt),
  attributes: { ...attributes },
});
