/** What happened, as other services and auditors are told: changes of resources and of grants, and logins. */

/** Keystone's names of the kinds of resources whose changes are events. */
export type EventResource =
  | "OS-OAUTH1:consumer"
  | "OS-TRUST:trust"
  | "access_rule"
  | "application_credential"
  | "credential"
  | "domain"
  | "endpoint"
  | "group"
  | "policy"
  | "project"
  | "project tag"
  | "region"
  | "role"
  | "service"
  | "user";

export type ServiceEvent = ResourceEvent | GrantEvent | LoginEvent;

export interface ResourceEvent {
  readonly resource: EventResource;
  readonly operation: "created" | "updated" | "deleted";
  readonly id: string;
  /** Who joined or left a group. */
  readonly member?: { readonly userId: string; readonly operation: "added" | "removed" };
  /** Why a user's own change of the password was refused. */
  readonly refusal?: string;
}

/** A role is granted or revoked, or could not be revoked because it is not granted. */
export interface GrantEvent {
  readonly grant: "created" | "deleted";
  readonly outcome: "success" | "failure";
  readonly roleId: string;
  readonly actor: { readonly userId: string } | { readonly groupId: string };
  readonly target: { readonly projectId: string } | { readonly domainId: string };
  readonly isInherited: boolean;
}

/** A password was checked, or the assertion of an identity provider. */
export interface LoginEvent {
  readonly login: "password" | "federated";
  readonly outcome: "success" | "failure";
  /** Of a password. */
  readonly user?: EventUser;
  readonly federation?: EventFederation;
  /** Why it failed, where Keystone says so: `code` is a status. */
  readonly reason?: { readonly text: string; readonly code: string };
}

/**
 * The user whom a login names: by id, which may be that of no user, or the domain of a name that no user has. The name itself may be a
 * password in the wrong field.
 */
export type EventUser =
  | { readonly id: string; readonly name?: string | undefined }
  | { readonly domainId: string };

export interface EventFederation {
  readonly providerId: string;
  /** `undefined` if the login failed before the user was known. */
  readonly userId?: string;
  readonly groupIds: readonly string[];
  /** Of the token that was presented. */
  readonly auditId?: string;
}

/** Who caused an event, by the request. */
export interface EventInitiator {
  /** `undefined` without a token. */
  readonly userId?: string;
  readonly projectId?: string;
  readonly domainId?: string;
  readonly address: string;
  readonly agent: string | undefined;
  /** The id of the request, as in the response. */
  readonly requestId: string;
  /** The id that the client gave the request, and those it caused at other services. */
  readonly globalRequestId?: string;
}

/** @param login The proof of a login, or the token that is presented for another scope; `undefined` if the login failed. */
export function federatedEvent(
  outcome: LoginEvent["outcome"],
  providerId: string,
  login?: {
    readonly userId: string;
    readonly federation?: { readonly groupIds: readonly string[] };
    readonly auditId?: string;
  },
): LoginEvent {
  const { userId, federation, auditId } = login ?? {};
  return {
    login: "federated",
    outcome,
    federation: {
      providerId,
      groupIds: federation?.groupIds ?? [],
      ...(userId !== undefined && { userId }),
      ...(auditId !== undefined && { auditId }),
    },
  };
}
