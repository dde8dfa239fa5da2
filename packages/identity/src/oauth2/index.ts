/** The area of OAuth 2.0: tokens for application credentials, client certificates, and tokens of providers. */
import type { Area, Platform } from "../area.js";
import { createCertificateLogin, type CertificateLoginDeps } from "./certificate-login.js";
import { addOAuth2Routes, type OAuth2RoutesDeps } from "./oauth2-routes.js";

type OAuth2Uses = Omit<CertificateLoginDeps, "mappingId" | keyof Platform> &
  Omit<OAuth2RoutesDeps, "certificateLogin" | keyof Platform>;

export function createOAuth2Area(platform: Platform, uses: OAuth2Uses): Area {
  const mappingId = platform.config.credential.certificateMapping;
  const certificateLogin = createCertificateLogin({ ...platform, ...uses, mappingId });
  return { addRoutes: (server) => addOAuth2Routes(server, { ...platform, ...uses, certificateLogin }) };
}
