/** `/v3/ec2tokens` and `/v3/s3tokens`: services exchange a signed request for a token of the user who signed it. */
import { ec2SignatureFault } from "../credentials/signatures/ec2-signature.js";
import { s3SignatureFault } from "../credentials/signatures/s3-signature.js";
import {
  readSignedRequest,
  SignedRequestError,
  type SignatureClock,
} from "../credentials/signatures/signed-request.js";
import { extensionRelation } from "../platform/discovery/json-home.js";
import { InvalidError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { openObject } from "../platform/http/validation/schema-parts.js";
import { FailedLoginError } from "./auth-errors.js";
import type { IssuedToken } from "./login.js";
import type { SignedRequestLogin } from "./methods/signed-request-login.js";
import { TokenResponse, tokenResponse, type TokenResponseDeps } from "./token-response.js";

/** Names of the description in a body: services differ. */
const MEMBERS = ["credentials", "credential", "ec2Credentials"];

/** The description of a signed request. */
type Description = Readonly<Record<string, unknown>>;

/** Why a signature is not valid; `undefined` if it is. */
type FaultOf = (
  description: Description,
  signed: {
    readonly access: string;
    readonly signature: string;
    readonly secret: string;
    readonly clock: SignatureClock;
  },
) => string | undefined;

export function addSignedRequestRoutes(
  server: HttpServer,
  deps: TokenResponseDeps & { readonly signedRequestLogin: SignedRequestLogin },
): void {
  const add = createRoutes(server, "authentication");

  function logIn(body: unknown, faultOf: FaultOf): Promise<IssuedToken> {
    const description = descriptionIn(body as Description);
    const access = requiredText(description, "access");
    return deps.signedRequestLogin(access, (secret, clock) => {
      const signature = requiredText(description, "signature");
      return faultOf(description, { access, signature, secret, clock });
    });
  }
  const shown = (token: IssuedToken) => tokenResponse(deps, token, { wantsCatalog: true });

  add("POST", "/v3/ec2tokens", {
    access: "identity:ec2tokens_validate",
    login: "ec2",
    home: [{ relation: extensionRelation("OS-EC2", "ec2tokens") }],
    summary: "Issues a token for a signed request to a service with an EC2 API",
    body: openObject({}),
    response: TokenResponse,
    async handle({ body }, reply) {
      const token = await logIn(body, (description, { secret, clock, ...key }) =>
        ec2SignatureFault(readSignedRequest(key, description), secret, clock),
      );
      reply.header("x-subject-token", token.text);
      return shown(token);
    },
  });

  add("POST", "/v3/s3tokens", {
    access: "identity:s3tokens_validate",
    login: "s3",
    home: [{ relation: extensionRelation("s3tokens", "s3tokens") }],
    summary: "Issues a token for a signed request to a service with an S3 API, and shows it",
    body: openObject({}),
    response: TokenResponse,
    async handle({ body }) {
      const token = await logIn(body, ({ token: signed }, { secret, clock, signature }) =>
        s3SignatureFault({ text: signedText(signed), signature }, secret, clock),
      );
      return shown(token);
    },
  });
}

/** @throws {InvalidError} An empty body. {@link FailedLoginError} No description. */
function descriptionIn(body: Description): Description {
  if (Object.keys(body).length === 0) throw new InvalidError("request must include a request body");
  const description = MEMBERS.map((name) => body[name]).find(
    (value) => typeof value === "object" && value !== null && Object.keys(value).length > 0,
  );
  if (description === undefined)
    throw new FailedLoginError("signed-request-malformed", {
      detail: "the request has no description of a signed request",
    });
  return description as Description;
}

/** @throws {FailedLoginError} It is missing. {@link SignedRequestError} It is not a text. */
function requiredText(description: Description, part: string): string {
  const value = description[part];
  if (value === undefined || value === null || value === "")
    throw new FailedLoginError("signed-request-malformed", { detail: `the signed request has no ${part}` });
  if (typeof value !== "string") throw new SignedRequestError(part, "a string");
  return value;
}

/** The text that was signed, from base64 for URLs. */
function signedText(token: unknown): string {
  if (typeof token !== "string") throw new SignedRequestError("token", "a string in base64");
  return Buffer.from(token, "base64url").toString();
}
