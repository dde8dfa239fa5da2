/** Schemas of the configuration of domains. Groups and options are checked by the service. */
import { Type } from "typebox";

import { bodyOf } from "../platform/http/validation/schema-parts.js";

const Options = Type.Record(Type.String(), Type.Unknown());

export const DomainConfigBody = Type.Object({
  config: Type.Optional(Type.Union([Options, Type.Null(), Type.Array(Type.Unknown())])),
});

export const DomainConfigResponse = bodyOf("config", Options);
