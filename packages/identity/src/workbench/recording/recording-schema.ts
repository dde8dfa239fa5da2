/** Schemas of recordings in requests and responses. */
import { Type, type Static } from "typebox";

import { bodyOf, nullable, series } from "../../platform/http/validation/schema-parts.js";
import { MAX_KEEP_DAYS, MAX_RECORDED_LOGINS } from "./login-recordings.js";

const Recording = Type.Object(
  {
    attributes: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
    }),
    max_logins: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_RECORDED_LOGINS })),
    keep_days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEEP_DAYS })),
  },
  { additionalProperties: false },
);
export type RecordingDraft = Static<typeof Recording>;

export const RecordingBody = bodyOf("recording", Recording);

const view = {
  attributes: series(Type.String()),
  max_logins: Type.Integer(),
  keep_days: Type.Integer(),
};
export const RecordingResponse = bodyOf("recording", Type.Object(view));

const RecordedLoginView = Type.Object({
  id: Type.String(),
  recorded_at: Type.String(),
  attributes: Type.Record(Type.String(), Type.String()),
});
export const RecordedLoginResponse = bodyOf("recorded_login", RecordedLoginView);
export const RecordedLoginsResponse = bodyOf("recorded_logins", series(RecordedLoginView));

/** The latest logins, at most so many. */
export const RecordedLoginsQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: "^[1-9][0-9]{0,3}$" })),
});

export const ProtocolsQuery = Type.Object({ mapping_id: Type.Optional(Type.String()) });

export const ProtocolsResponse = Type.Object({
  protocols: series(
    Type.Object({
      id: Type.String(),
      identity_provider_id: Type.String(),
      mapping_id: Type.String(),
      type: Type.String(),
      recording: nullable(
        Type.Object({ ...view, logins: Type.Integer(), latest_at: nullable(Type.String()) }),
      ),
    }),
  ),
  /** Whether the operator allows to record logins. */
  login_recording: Type.Boolean(),
});
