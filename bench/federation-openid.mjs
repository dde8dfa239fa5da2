/** An OpenID provider as far as access tokens need one: where its keys are, and tokens. */
import { once } from "node:events";
import { createServer } from "node:http";

import { exportJWK, generateKeyPair, SignJWT } from "jose";

export async function startOpenIdProvider() {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "bench", alg: "RS256", use: "sig" };
  const server = createServer((request, response) => {
    const answers = {
      "/.well-known/openid-configuration": {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      },
      "/jwks": { keys: [jwk] },
    };
    const answer = answers[request.url];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${server.address().port}`;
  return {
    issuer,
    token: (user) =>
      new SignJWT({ name: user, groups: ["staff", "others"], client_id: "bench" })
        .setProtectedHeader({ alg: "RS256", kid: "bench", typ: "at+jwt" })
        .setIssuer(issuer)
        .setSubject(user)
        .setAudience("identity-api")
        .setIssuedAt()
        .setJti(user)
        .setExpirationTime("1h")
        .sign(privateKey),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
