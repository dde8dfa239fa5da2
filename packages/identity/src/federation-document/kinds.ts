/** The kinds of entries, in the order in which they are created: what an entry refers to comes before it. */
import type { Kind } from "./kind.js";
import { domainKind, projectKind } from "./kinds/domains.js";
import { identityProviderKind, mappingKind, serviceProviderKind } from "./kinds/federation.js";
import { grantKind } from "./kinds/grants.js";
import { groupKind } from "./kinds/groups.js";
import { limitKind, regionKind, registeredLimitKind, serviceKind } from "./kinds/limits.js";
import { protocolKind } from "./kinds/protocols.js";
import { implicationKind, roleKind } from "./kinds/roles.js";

export const KINDS: readonly Kind<never>[] = [
  domainKind,
  projectKind,
  groupKind,
  roleKind,
  implicationKind,
  grantKind,
  serviceKind,
  regionKind,
  registeredLimitKind,
  limitKind,
  mappingKind,
  identityProviderKind,
  protocolKind,
  serviceProviderKind,
] as never;
