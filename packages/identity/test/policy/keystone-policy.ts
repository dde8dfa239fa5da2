/**
 * Keystone's policy of July 2026, as oslo.policy 4.0 enforces it with enforce_scope and enforce_new_defaults: for each action, each
 * persona and each target that the action's rule checks. Personas that are not listed are denied.
 */
import { readFileSync } from "node:fs";

import type { Credentials, CredentialScope, PolicyTarget } from "../../src/policy/caller.js";
import type { Action } from "../../src/policy/is-allowed.js";

interface PolicyRow {
  /** Actions for which the answers are the same. */
  readonly actions: readonly Action[];
  /** The kinds of targets that the rule looks at: it was asked about those that have no others. */
  readonly kinds: readonly string[];
  readonly allowed: readonly {
    readonly personas: readonly string[];
    readonly targets: "all" | readonly string[];
  }[];
}

interface PolicyFile {
  /** By names as they look to user u1, who has roles in domain d1 and project p1 of that domain. */
  readonly targets: Readonly<Record<string, PolicyTarget>>;
  readonly rows: readonly PolicyRow[];
}

const { targets, rows } = JSON.parse(
  readFileSync(new URL("keystone-policy.json", import.meta.url), "utf8"),
) as PolicyFile;

/** One question and its answer. */
export interface PolicyCase {
  readonly action: Action;
  readonly persona: string;
  readonly target: string;
  readonly isAllowed: boolean;
}

export const policyTargets: Readonly<Record<string, PolicyTarget>> = targets;

/** Every question that was asked. */
export function policyCases(): PolicyCase[] {
  return rows.flatMap(({ actions, kinds, allowed }) => {
    const asked = Object.keys(targets).filter((name) =>
      Object.keys(targets[name] ?? {}).every((kind) => kinds.includes(kind)),
    );
    return Object.keys(personas).flatMap((persona) => {
      const open = allowed.find((each) => each.personas.includes(persona))?.targets ?? [];
      return asked.flatMap((target) => {
        const isAllowed = open === "all" || open.includes(target);
        return actions.map((action) => ({ action, persona, target, isAllowed }));
      });
    });
  });
}

/** Roles with those that they imply. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  admin: ["admin", "manager", "member", "reader"],
  manager: ["manager", "member", "reader"],
  member: ["member", "reader"],
  reader: ["reader"],
  service: ["service"],
  custom: ["custom"],
};

const SCOPES: readonly CredentialScope[] = [
  { kind: "system" },
  { kind: "domain", domainId: "d1" },
  { kind: "project", projectId: "p1", projectDomainId: "d1" },
];

/** All of them user u1, by scope and role: `domain reader`; and `unscoped`. */
export const personas: Readonly<Record<string, Credentials>> = {
  ...Object.fromEntries(
    SCOPES.flatMap((scope) =>
      Object.entries(ROLES).map(([role, roles]) => [`${scope.kind} ${role}`, { userId: "u1", roles, scope }]),
    ),
  ),
  unscoped: { userId: "u1", roles: [], scope: { kind: "unscoped" } },
};
