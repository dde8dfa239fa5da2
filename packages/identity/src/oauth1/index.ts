/** The area of OAuth 1.0a: consumers, request tokens, access tokens, and the verification of signed requests. */
import type { AreaWithServices, Platform } from "../area.js";
import type { ProjectService } from "../projects/project-service.js";
import { addAccessTokenRoutes } from "./access-token-routes.js";
import { createConsumerService } from "./consumer-service.js";
import { addOAuth1Routes } from "./oauth1-routes.js";
import { createOAuth1Service, type OAuth1ServiceDeps } from "./oauth1-service.js";
import { createOAuth1Verifier, type OAuth1VerifierDeps } from "./oauth1-verification.js";

export interface OAuth1Uses extends Pick<OAuth1ServiceDeps, "roles">, Pick<OAuth1VerifierDeps, "useOnce"> {
  readonly projects: ProjectService;
}

export function createOAuth1Area(platform: Platform, { useOnce, ...uses }: OAuth1Uses) {
  const consumers = createConsumerService(platform);
  const services = {
    consumers,
    oauth1: createOAuth1Service({ ...platform, ...uses, consumers }),
    oauth1Verifier: createOAuth1Verifier({ ...platform, publicUrl: platform.links.publicUrl, useOnce }),
  };
  return {
    ...services,
    addRoutes(server) {
      addOAuth1Routes(server, { ...platform, ...services });
      addAccessTokenRoutes(server, { ...platform, ...services });
    },
  } satisfies AreaWithServices;
}
