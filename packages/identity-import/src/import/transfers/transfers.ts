/** All transfers, in an order in which each row's references are imported before it. */
import type { TableTransfer } from "../table-transfer.js";
import {
  endpointGroupTransfer,
  endpointTransfer,
  policyAssociationTransfer,
  policyTransfer,
  projectEndpointGroupTransfer,
  projectEndpointTransfer,
  regionTransfer,
  serviceTransfer,
} from "./catalog-transfers.js";
import {
  accessRuleTransfer,
  applicationCredentialTransfer,
  credentialRoleTransfer,
  credentialRuleTransfer,
  credentialTransfer,
  trustRoleTransfer,
  trustTransfer,
} from "./credential-transfers.js";
import { domainConfigTransfer, domainSecretTransfer } from "./domain-config-transfers.js";
import {
  expiringMembershipTransfer,
  federatedUserTransfer,
  identityProviderTransfer,
  mappingTransfer,
  protocolTransfer,
  remoteIdTransfer,
  serviceProviderTransfer,
} from "./federation-transfers.js";
import { limitTransfer, registeredLimitTransfer } from "./limit-transfers.js";
import { accessTokenTransfer, consumerTransfer } from "./oauth1-transfers.js";
import { domainTransfer, projectTransfer, tagTransfer } from "./project-transfers.js";
import {
  assignmentTransfer,
  impliedRoleTransfer,
  roleTransfer,
  systemAssignmentTransfer,
} from "./role-transfers.js";
import {
  groupTransfer,
  idMappingTransfer,
  membershipTransfer,
  nonlocalUserTransfer,
  passwordTransfer,
  userTransfer,
} from "./user-transfers.js";

export const TRANSFERS: readonly TableTransfer[] = [
  domainTransfer,
  projectTransfer,
  tagTransfer,
  domainConfigTransfer,
  domainSecretTransfer,
  userTransfer,
  nonlocalUserTransfer,
  passwordTransfer,
  groupTransfer,
  membershipTransfer,
  idMappingTransfer,
  roleTransfer,
  impliedRoleTransfer,
  assignmentTransfer,
  systemAssignmentTransfer,
  regionTransfer,
  serviceTransfer,
  endpointTransfer,
  endpointGroupTransfer,
  projectEndpointTransfer,
  projectEndpointGroupTransfer,
  policyTransfer,
  policyAssociationTransfer,
  registeredLimitTransfer,
  limitTransfer,
  identityProviderTransfer,
  remoteIdTransfer,
  mappingTransfer,
  protocolTransfer,
  serviceProviderTransfer,
  federatedUserTransfer,
  expiringMembershipTransfer,
  credentialTransfer,
  accessRuleTransfer,
  applicationCredentialTransfer,
  credentialRoleTransfer,
  credentialRuleTransfer,
  trustTransfer,
  trustRoleTransfer,
  consumerTransfer,
  accessTokenTransfer,
];

/** Parts of rows of other tables, which the transfers read by joins: a part without its row is not imported. */
export const PARTS: readonly { readonly table: string; readonly column: string; readonly owner: string }[] = [
  { table: "project_option", column: "project_id", owner: "project" },
  { table: "local_user", column: "user_id", owner: "user" },
  { table: "user_option", column: "user_id", owner: "user" },
  { table: "role_option", column: "role_id", owner: "role" },
];

/** Tables of Keystone whose rows are not imported, and why. */
export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  request_token: "the program asks for another: Keystone's end within hours",
};
