/** Signatures that keystoneclient and botocore make are valid here, and no longer after any change. */
import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { ec2SignatureFault } from "../../src/credentials/signatures/ec2-signature.js";
import { s3SignatureFault } from "../../src/credentials/signatures/s3-signature.js";
import { readSignedRequest } from "../../src/credentials/signatures/signed-request.js";
import { askPython } from "../python.js";

const ACCESS = "0f4e5b6c7d8e9fa0b1c2d3e4f5a6b7c8";
const SECRET = "a0b1c2d3e4f5061728394a5b6c7d8e9f";
const clock = { now: Date.now(), lifetimeMs: 900_000 };
const seconds = new Date(clock.now).toISOString().replace(/\.\d+/, "");

/** Parameters that are encoded in one way or another. */
const PARAMETERS = [
  { Action: "DescribeInstances" },
  { Action: "RunInstances", UserData: "a b+c/d=e&f~g*h(i)'j!k", "Filter.1.Name": "", zone: "é☃\u{1f4a9}" },
] as const;

/** As a service describes requests signed by version 2. */
const ec2 = PARAMETERS.flatMap((parameters) =>
  ["GET", "POST"].map((verb) => ({
    verb,
    host: "nova.example.com:8773",
    path: "/services/Cloud",
    params: { ...parameters, AWSAccessKeyId: ACCESS, SignatureVersion: "2", Timestamp: seconds } as Record<
      string,
      string
    >,
  })),
);

/** As RFC 3986 has it: botocore signs addresses as they are. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${Buffer.from(character).toString("hex").toUpperCase()}`,
  );
}

const botocore = PARAMETERS.flatMap((parameters) => {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encoded(value)}`);
  const url = `http://nova.example.com:8773/?${query.join("&")}`;
  const headers = { "X-Extra": "  two   blanks " };
  return [
    { verb: "GET", url, service: "ec2", headers },
    { verb: "GET", url, service: "ec2", presigned: true },
    { verb: "POST", url: "http://nova.example.com:8773/", service: "ec2", body: "Action=x&b=y" },
  ];
});

const s3 = [
  { verb: "GET", url: "http://swift.example.com/bucket/object%20one?acl" },
  {
    verb: "PUT",
    url: "http://swift.example.com/b/o",
    headers: { "Content-Type": "text/plain", "x-amz-acl": "private" },
  },
];

interface Answer {
  readonly ec2: readonly string[];
  readonly botocore: readonly { readonly url: string; readonly headers: Readonly<Record<string, string>> }[];
  readonly s3: readonly { readonly text: string; readonly signature: string }[];
  readonly s3v1: Answer["s3"];
}

const answer = askPython("credentials/signatures.py", {
  access: ACCESS,
  secret: SECRET,
  ec2,
  botocore,
  s3,
}) as Answer;

const faultOf = (description: Readonly<Record<string, unknown>>, signature: string, secret = SECRET) =>
  ec2SignatureFault(readSignedRequest({ access: ACCESS, signature }, description), secret, clock);

describe("keystoneclient's Ec2Signer", () => {
  it.each(ec2.map((request, index) => [request.verb, request.params["Action"], index] as const))(
    "signs %s %s",
    (_, __, index) => {
      const request = ec2[index] ?? {};
      const signature = answer.ec2[index] ?? "";
      expect(faultOf(request, signature)).toBeUndefined();
      expect(faultOf({ ...request, path: "/" }, signature)).toBe("invalid signature");
      expect(faultOf(request, signature, "another")).toBe("invalid signature");
    },
  );
});

describe("botocore", () => {
  it.each(botocore.map((request, index) => [request.verb, request.url, index] as const))(
    "signs %s %s by version 4",
    (verb, _, index) => {
      const { url, headers } = answer.botocore[index] ?? { url: "http://none/", headers: {} };
      const { searchParams, host, pathname } = new URL(url);
      const params = Object.fromEntries(searchParams);
      const signature =
        params["X-Amz-Signature"] ?? /Signature=(\w+)/.exec(headers["Authorization"] ?? "")?.[1] ?? "";
      const body_hash = createHash("sha256")
        .update(botocore[index]?.body ?? "")
        .digest("hex");
      const description = {
        verb,
        host,
        path: pathname,
        params,
        headers: { Host: host, ...headers },
        body_hash,
      };
      expect(signature).toMatch(/^[0-9a-f]{64}$/);
      expect(faultOf(description, signature)).toBeUndefined();
      expect(faultOf({ ...description, body_hash: "0".repeat(64) }, signature)).toBe("invalid signature");
      expect(faultOf(description, signature, "another")).toBe("invalid signature");
    },
  );

  it.each(["s3", "s3v1"] as const)("signs requests to S3: %s", (kind) => {
    expect(answer[kind]).toHaveLength(s3.length);
    for (const { text, signature } of answer[kind]) {
      expect(s3SignatureFault({ text, signature }, SECRET, clock)).toBeUndefined();
      expect(s3SignatureFault({ text, signature }, "another", clock)).toBe("invalid signature");
      const later = { ...clock, now: clock.now + 1_000_000 };
      expect(s3SignatureFault({ text, signature }, SECRET, later)).toContain("too old");
    }
  });
});
