/** The writes of a login, which are planned before they are made. */
import type { Topic, Transaction } from "../../platform/database/database.js";

/** What a login changes, for a test login. */
export interface LoginEffect {
  readonly action: "create" | "update" | "delete";
  readonly resource:
    | "user"
    | "federated identity"
    | "group memberships"
    | "last login"
    | "project"
    | "role assignment";
  /** The name of a user or project; the id of a role and that of the project, where the resource is an assignment. */
  readonly name?: string;
  readonly roleId?: string;
  readonly projectId?: string;
}

/** A write of a login. */
export interface LoginStep {
  readonly effect: LoginEffect;
  /** The caches that it may invalidate. */
  readonly changes: readonly Topic[];
  run(transaction: Transaction): Promise<unknown>;
}
