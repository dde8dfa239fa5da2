/** The schemas of login requests and of tokens in responses. */
import { Type, type Static } from "typebox";

import { nullable } from "../platform/http/validation/schema-parts.js";

const ReferenceSchema = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
});
const UserReference = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(ReferenceSchema),
  password: Type.Optional(Type.String()),
});

/** A code that is no text is rejected like a wrong one. */
const CodeOfUser = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(ReferenceSchema),
  passcode: Type.Optional(Type.Unknown()),
});

/** Other methods have their own members. */
const Identity = Type.Object({
  methods: Type.Array(Type.String()),
  password: Type.Optional(Type.Object({ user: Type.Optional(UserReference) })),
  token: Type.Optional(Type.Object({ id: Type.String() })),
  application_credential: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      secret: Type.Optional(nullable(Type.String())),
      user: Type.Optional(UserReference),
    }),
  ),
  totp: Type.Optional(Type.Object({ user: Type.Optional(CodeOfUser) })),
});

const Scope = Type.Object({
  project: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      domain: Type.Optional(ReferenceSchema),
    }),
  ),
  domain: Type.Optional(ReferenceSchema),
  system: Type.Optional(Type.Object({ all: Type.Optional(Type.Boolean()) })),
  unscoped: Type.Optional(Type.Object({})),
});

export const AuthBody = Type.Object({
  auth: Type.Object({
    identity: Identity,
    scope: Type.Optional(Type.Union([Scope, Type.String()])),
  }),
});
export type Auth = Static<typeof AuthBody>["auth"];
export type Reference = Static<typeof ReferenceSchema>;
export type UserSection = Static<typeof UserReference>;
export type ScopeSection = Auth["scope"];

const Named = Type.Object({ id: Type.String(), name: Type.String() });
const InDomain = Type.Object({ id: Type.String(), name: Type.String(), domain: Named });

export const TokenResponse = Type.Object({
  token: Type.Object({
    methods: Type.Array(Type.String()),
    user: Type.Object({
      id: Type.String(),
      name: Type.String(),
      domain: Named,
      password_expires_at: Type.Optional(nullable(Type.String())),
      "OS-FEDERATION": Type.Optional(
        Type.Object({
          groups: Type.Array(Type.Object({ id: Type.String() })),
          identity_provider: Type.Object({ id: Type.String() }),
          protocol: Type.Object({ id: Type.String() }),
        }),
      ),
    }),
    audit_ids: Type.Array(Type.String()),
    issued_at: Type.String(),
    expires_at: Type.String(),
    project: Type.Optional(InDomain),
    is_domain: Type.Optional(Type.Boolean()),
    domain: Type.Optional(Named),
    system: Type.Optional(Type.Object({ all: Type.Literal(true) })),
    roles: Type.Optional(Type.Array(Named)),
    application_credential: Type.Optional(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        restricted: Type.Boolean(),
        access_rules: Type.Optional(
          Type.Array(
            Type.Object({
              id: Type.String(),
              service: Type.String(),
              method: Type.String(),
              path: Type.String(),
            }),
          ),
        ),
      }),
    ),
    catalog: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    service_providers: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), auth_url: Type.String(), sp_url: Type.String() })),
    ),
  }),
});
export type TokenResponse = Static<typeof TokenResponse>;
