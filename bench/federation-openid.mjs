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
  const sign = (claims, typ) =>
    new SignJWT({ ...claims, groups: ["staff", "others"] })
      .setProtectedHeader({ alg: "RS256", kid: "bench", typ })
      .setIssuer(issuer)
      .setAudience("identity-api")
      .setIssuedAt()
      .setJti(claims.sub)
      .setExpirationTime("1h")
      .sign(privateKey);
  return {
    issuer,
    token: (user) => sign({ name: user, sub: user, client_id: "bench" }, "at+jwt"),
    workloadToken: (user) => sign({ name: user, sub: `job:${user}` }, "JWT"),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
