/** `/console/api/allowed`: what the caller may do, by the policy itself, so that pages hide what would be refused. */
import { Type, type Static } from "typebox";

import { InvalidError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { nullable } from "../platform/http/validation/schema-parts.js";
import { quoted } from "../platform/text/quoted-value.js";
import type { PolicyTarget } from "../policy/caller.js";
import { isAction } from "../policy/is-allowed.js";
import { CONSOLE_API_PATH } from "./console-address.js";

const MAX_CHECKS = 500;
const Id = Type.String({ maxLength: 255 });

/** A target by the names of the API. */
const Target = Type.Object(
  {
    user: Type.Optional(Type.Object({ id: Id, domain_id: Type.Optional(Id) })),
    group: Type.Optional(Type.Object({ domain_id: Id })),
    project: Type.Optional(Type.Object({ id: Type.Optional(Id), domain_id: Type.Optional(nullable(Id)) })),
    domain: Type.Optional(Type.Object({ id: Id })),
    trust: Type.Optional(
      Type.Object({ trustor_user_id: Type.Optional(Id), trustee_user_id: Type.Optional(Id) }),
    ),
    role: Type.Optional(Type.Object({ name: Id, domain_id: Type.Optional(nullable(Id)) })),
  },
  { additionalProperties: false },
);

const Checks = Type.Object({
  checks: Type.Array(
    Type.Object({ action: Type.String({ maxLength: 255 }), target: Type.Optional(Target) }),
    {
      maxItems: MAX_CHECKS,
    },
  ),
});

export function addAllowedRoutes(server: HttpServer): void {
  server.post(
    `${CONSOLE_API_PATH}/allowed`,
    {
      // What callers learn is about themselves.
      config: {
        access: {
          action: "identity:validate_token",
          target: ({ caller }) => ({ user: { id: caller.userId } }),
        },
        isRead: true,
      },
      schema: { body: Checks },
    },
    (request) => {
      const decide = request.server.decisions.within(request);
      return {
        allowed: request.body.checks.map(({ action, target = {} }) => {
          if (!isAction(action))
            throw new InvalidError(
              `Invalid input for field checks/action: ${quoted(action)} is not an action of the policy.`,
            );
          return decide({ action, target: toPolicyTarget(target) });
        }),
      };
    },
  );
}

function toPolicyTarget({ user, group, project, domain, trust, role }: Static<typeof Target>): PolicyTarget {
  return {
    ...(user !== undefined && { user: withDomain({ id: user.id }, user.domain_id) }),
    ...(group !== undefined && { group: { domainId: group.domain_id } }),
    ...(project !== undefined && {
      project: withDomain(project.id === undefined ? {} : { id: project.id }, project.domain_id),
    }),
    ...(domain !== undefined && { domain }),
    ...(trust !== undefined && {
      trust: {
        ...(trust.trustor_user_id !== undefined && { trustorId: trust.trustor_user_id }),
        ...(trust.trustee_user_id !== undefined && { trusteeId: trust.trustee_user_id }),
      },
    }),
    ...(role !== undefined && { role: { name: role.name, domainId: role.domain_id ?? null } }),
  };
}

function withDomain<Part extends object>(part: Part, domainId: string | null | undefined) {
  return domainId === undefined || domainId === null ? part : { ...part, domainId };
}
