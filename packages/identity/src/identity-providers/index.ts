/** The area of identity providers and their protocols. Their routes are under each prefix of the federation's extension. */
import type { Area, Platform } from "../area.js";
import {
  createIdentityProviderService,
  type IdentityProviderService,
  type IdentityProviderServiceDeps,
} from "./identity-provider-service.js";
import {
  createProtocolService,
  type ProtocolService,
  type ProtocolServiceDeps,
} from "./protocols/protocol-service.js";

export type IdentityProvidersUses = Omit<IdentityProviderServiceDeps & ProtocolServiceDeps, keyof Platform>;

export interface IdentityProvidersArea extends Area {
  readonly identityProviders: IdentityProviderService;
  readonly protocols: ProtocolService;
}

export function createIdentityProvidersArea(
  platform: Platform,
  uses: IdentityProvidersUses,
): IdentityProvidersArea {
  return {
    identityProviders: createIdentityProviderService({ ...platform, ...uses }),
    protocols: createProtocolService({ ...platform, ...uses }),
  };
}
