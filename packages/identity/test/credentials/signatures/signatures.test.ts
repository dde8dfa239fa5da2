/** Signatures of EC2 and S3 requests. The expected ones are those of AWS's documentation and test suite. */
import { createHash, createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { ec2SignatureFault, signatureV2 } from "../../../src/credentials/signatures/ec2-signature.js";
import { s3SignatureFault } from "../../../src/credentials/signatures/s3-signature.js";
import {
  canonicalRequest,
  signatureV4,
  type SigningScope,
} from "../../../src/credentials/signatures/signature-v4.js";
import { readSignedRequest } from "../../../src/credentials/signatures/signed-request.js";

/** The key of AWS's older examples. */
const KEY = { access: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
/** The key of AWS's test suite for version 4. */
const SUITE = { access: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const NO_BODY = createHash("sha256").digest("hex");

/** A moment, and signatures that are valid for 15 minutes. */
const at = (time: string) => ({ now: Date.parse(time), lifetimeMs: 900_000 });

describe("version 2", () => {
  // "Signature Version 2 signing process" in the AWS General Reference.
  const description = {
    verb: "GET",
    host: "elasticmapreduce.amazonaws.com",
    path: "/",
    params: {
      Action: "DescribeJobFlows",
      Version: "2009-03-31",
      AWSAccessKeyId: KEY.access,
      SignatureVersion: "2",
      SignatureMethod: "HmacSHA256",
      Timestamp: "2011-10-03T15:19:30",
    } as Record<string, string>,
  };
  const signature = "i91nKc4PWAt0JJIdXwz9HxZCJDdiy6cf/Mj6vPxyYIs=";
  const clock = at("2011-10-03T15:20:00Z");

  function faultOf(changes: object = {}, given = signature, when = clock) {
    const request = readSignedRequest(
      { access: KEY.access, signature: given },
      { ...description, ...changes },
    );
    return ec2SignatureFault(request, KEY.secret, when);
  }
  /** The description with other parameters, signed as a client does. */
  function signed(params: Record<string, string>, when = clock) {
    const parameters = new Map(Object.entries(params));
    return faultOf({ params }, signatureV2({ ...description, parameters }, KEY.secret), when);
  }

  it("signs AWS's example", () => {
    expect(faultOf()).toBeUndefined();
    expect(faultOf({ params: { ...description.params, Signature: signature } })).toBeUndefined();
  });

  it.each([
    ["verb", { verb: "POST" }],
    ["host", { host: "example.com" }],
    ["path", { path: "/x" }],
    ["parameters", { params: { ...description.params, Action: "TerminateJobFlows" } }],
  ])("covers the %s", (_, changes) => {
    expect(faultOf(changes)).toBe("invalid signature");
  });

  it.each(["", "x", signature.toLowerCase(), `${signature}=`, "é".repeat(44)])("rejects %j", (given) => {
    expect(faultOf({}, given)).toBe("invalid signature");
  });

  it("accepts a host signed without its port", () => {
    expect(faultOf({ host: `${description.host}:8773` })).toBeUndefined();
  });

  it("encodes and sorts parameters as RFC 3986 and AWS demand", () => {
    const params = { ...description.params, "a b": "~*'()!/é☃+&=", A: "", "\u{d800}": "x" };
    expect(signed(params)).toBeUndefined();
    const parameters = new Map(Object.entries({ b: "~*'(/é", a: "x y" }));
    const text = `GET\nh\n/\nSignatureMethod=HmacSHA256&a=x%20y&b=~%2A%27%28%2F%C3%A9`;
    expect(signatureV2({ verb: "GET", host: "h", path: "/", parameters }, "s")).toBe(
      createHmac("sha256", "s").update(text).digest("base64"),
    );
  });

  it.each(["0", "1", "3", "", "2 ", "v2"])("is not version %j, which is rejected", (version) => {
    expect(faultOf({ params: { ...description.params, SignatureVersion: version } })).toContain(
      "is not supported",
    );
  });

  it("is valid for 15 minutes around its time", () => {
    expect(faultOf({}, signature, at("2011-10-03T15:34:30Z"))).toBeUndefined();
    expect(faultOf({}, signature, at("2011-10-03T15:04:30Z"))).toBeUndefined();
    for (const time of ["2011-10-03T15:34:30.001Z", "2011-10-03T15:04:29.999Z", "2026-01-01T00:00:00Z"])
      expect(faultOf({}, signature, at(time))).toContain("Timestamp");
  });

  it.each([
    ["2011-10-03T15:19:30.500Z", true],
    ["2011-10-03T17:19:30+02:00", true],
    ["2011-10-03T15:19:30+02:00", false],
    ["yesterday", false],
    ["", false],
    ["2011-13-45T99:99:99Z", false],
  ])("reads the time %j", (Timestamp, isGood) => {
    expect(signed({ ...description.params, Timestamp }) === undefined).toBe(isGood);
  });

  it("is valid until its expiry instead, at most a week ahead", () => {
    const { Timestamp: _, ...params } = description.params;
    expect(signed({ ...params, Expires: "2011-10-03T15:20:01Z" })).toBeUndefined();
    expect(signed({ ...params, Expires: "2011-10-03T15:20:00Z" })).toContain("Expires");
    expect(signed({ ...params, Expires: "2011-10-11T00:00:00Z" })).toContain("Expires");
    expect(signed(params)).toContain("Timestamp is missing");
  });
});

describe("version 4", () => {
  const scope: SigningScope = { date: "20150830", region: "us-east-1", service: "service" };
  const TIME = "20150830T123600Z";
  const clock = at("2015-08-30T12:40:00Z");
  const HOST = { Host: "example.amazonaws.com", "X-Amz-Date": TIME };

  interface Changes {
    readonly headers?: Record<string, string>;
    readonly [part: string]: unknown;
  }

  /** A request that states its signature in the Authorization header. */
  function faultOf(
    signature: string,
    { headers = HOST, ...changes }: Changes = {},
    {
      signed = "host;x-amz-date",
      credential = `${SUITE.access}/20150830/us-east-1/service/aws4_request`,
    } = {},
    when = clock,
  ) {
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signed}, Signature=${signature}`;
    const request = readSignedRequest(
      { access: SUITE.access, signature },
      {
        verb: "GET",
        host: "",
        path: "/",
        params: {},
        body_hash: NO_BODY,
        headers: { Authorization: authorization, ...headers },
        ...changes,
      },
    );
    return ec2SignatureFault(request, SUITE.secret, when);
  }
  const VANILLA = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

  it.each([
    ["get-vanilla", VANILLA, {}],
    [
      "get-vanilla-query-order-key-case",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
      { params: { Param2: "value2", Param1: "value1" } },
    ],
    ["post-vanilla", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b", { verb: "POST" }],
  ])("signs %s of AWS's test suite", (_, signature, changes) => {
    expect(faultOf(signature, changes)).toBeUndefined();
  });

  it("signs AWS's example of ListUsers", () => {
    const iam = { date: "20150830", region: "us-east-1", service: "iam" };
    const hash = "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59";
    expect(signatureV4({ secret: SUITE.secret, scope: iam, time: TIME, hash })).toBe(
      "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    );
    const headers = {
      Host: "iam.amazonaws.com",
      "Content-Type": " application/x-www-form-urlencoded;   charset=utf-8 ",
      "X-Amz-Date": TIME,
    };
    const params = { Action: "ListUsers", Version: "2010-05-08" };
    const description = { verb: "get", host: "", path: "/", params, headers, body_hash: NO_BODY };
    const request = readSignedRequest({ access: "", signature: "" }, description);
    const text = canonicalRequest(request, ["content-type", "host", "x-amz-date"]);
    expect(createHash("sha256").update(text).digest("hex")).toBe(hash);
  });

  it.each([
    ["verb", { verb: "PUT" }, "invalid signature"],
    ["path", { path: "/x" }, "invalid signature"],
    ["parameters", { params: { a: "b" } }, "invalid signature"],
    ["body", { body_hash: "0".repeat(64) }, "invalid signature"],
    ["host", { headers: { ...HOST, Host: "example.com" } }, "invalid signature"],
    ["time", { headers: { ...HOST, "X-Amz-Date": "20150830T123601Z" } }, "invalid signature"],
    ["day", { headers: { ...HOST, "X-Amz-Date": "20150831T123600Z" } }, "X-Amz-Date"],
  ])("covers the %s", (_, changes, fault) => {
    expect(faultOf(VANILLA, changes)).toContain(fault);
  });

  it("has to sign the host", () => {
    expect(faultOf(VANILLA, {}, { signed: "x-amz-date" })).toContain("Host is not signed");
  });

  it.each([
    `OTHER/20150830/us-east-1/service/aws4_request`,
    `${SUITE.access}/20150830/us-east-1/service/aws4`,
    `${SUITE.access}/20150830/us-east-1/service/aws4_request/x`,
    `${SUITE.access}/2015/us-east-1/service/aws4_request`,
    "",
  ])("is rejected with the credential %j", (credential) => {
    expect(faultOf(VANILLA, {}, { credential })).toBeDefined();
  });

  it.each([
    [{ headers: { Authorization: "AWS4-HMAC-SHA256 nonsense", ...HOST } }, "malformed"],
    [{ headers: { Host: "example.amazonaws.com" } }, "malformed"],
    [{ headers: { ...HOST, Authorization: "AWS4-HMAC-SHA512 x" } }, "no supported signature"],
    [{ headers: { ...HOST, Authorization: "Bearer x" } }, "no supported signature"],
  ])("needs a header of its form: %j", (changes, fault) => {
    expect(faultOf(VANILLA, changes)).toContain(fault);
  });

  it("is valid for 15 minutes around its time", () => {
    const when = (time: string) => faultOf(VANILLA, {}, {}, at(time));
    expect([when("2015-08-30T12:51:00Z"), when("2015-08-30T12:21:00Z")]).toStrictEqual([
      undefined,
      undefined,
    ]);
    expect(when("2015-08-30T12:51:01Z")).toContain("too old");
    expect(when("2015-08-30T12:20:59Z")).toContain("too old");
  });

  it("may be in the parameters, with an expiry", () => {
    const presigned = (expires: string, time = TIME) => {
      const params: Record<string, string> = {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": `${SUITE.access}/20150830/us-east-1/service/aws4_request`,
        "X-Amz-Date": time,
        "X-Amz-Expires": expires,
        "X-Amz-SignedHeaders": "host",
      };
      const description = {
        verb: "GET",
        host: "",
        path: "/",
        params,
        headers: { host: "h" },
        body_hash: NO_BODY,
      };
      const unsigned = readSignedRequest({ access: SUITE.access, signature: "" }, description);
      const hash = createHash("sha256")
        .update(canonicalRequest(unsigned, ["host"]))
        .digest("hex");
      const signature = signatureV4({ secret: SUITE.secret, scope, time, hash });
      const withSignature = { ...description, params: { ...params, "X-Amz-Signature": signature } };
      return ec2SignatureFault(
        readSignedRequest({ access: SUITE.access, signature }, withSignature),
        SUITE.secret,
        clock,
      );
    };
    expect(presigned("300")).toBeUndefined();
    for (const expires of ["240", "0", "-1", "x", "700000"])
      expect(presigned(expires)).toContain("X-Amz-Date");
  });
});

describe("the description of a signed request", () => {
  const whole = { verb: "GET", host: "h", path: "/", params: {}, headers: {}, body_hash: "" };
  const read = (changes: object) => () =>
    readSignedRequest({ access: "a", signature: "s" }, { ...whole, ...changes });

  it.each([
    ["verb", { verb: undefined }],
    ["host", { host: 5 }],
    ["path", { path: null }],
    ["params", { params: undefined }],
    ["params", { params: null }],
    ["params", { params: [] }],
    ["params", { params: "a=b" }],
    ["params", { params: { a: 5 } }],
    ["headers", { headers: "x" }],
    ["headers", { headers: { a: ["b"] } }],
    ["body_hash", { body_hash: 5 }],
  ])("is rejected by its %s: %j", (part, changes) => {
    expect(read(changes)).toThrow(`Invalid input for field/attribute ${part}: expected`);
  });

  it("may lack headers and the hash of the body", () => {
    expect(read({ headers: null })()).toMatchObject({ bodyHash: "" });
    const { headers: _, body_hash: __, ...least } = whole;
    expect(readSignedRequest({ access: "a", signature: "s" }, least).headers.size).toBe(0);
  });
});

describe("S3", () => {
  const faultOf = (text: string, signature: string, time: string) =>
    s3SignatureFault({ text, signature }, KEY.secret, at(time));
  const sign = (text: string) => createHmac("sha1", KEY.secret).update(text).digest("base64");

  // "Signing and authenticating REST requests" of the Amazon S3 Developer Guide.
  it.each([
    [
      "GET\n\n\nTue, 27 Mar 2007 19:36:42 +0000\n/johnsmith/photos/puppy.jpg",
      "bWq2s1WEIj+Ydj0vQ697zp+IXMU=",
      "2007-03-27T19:40:00Z",
    ],
    [
      "PUT\n\nimage/jpeg\nTue, 27 Mar 2007 21:15:45 +0000\n/johnsmith/photos/puppy.jpg",
      "MyyxeRY7whkBe+bq8fHCL/2kKUg=",
      "2007-03-27T21:15:45Z",
    ],
    [
      "GET\n\n\n1175139620\n/johnsmith/photos/puppy.jpg",
      "NpgCjnDzrM+WFzoENXmpNDUsSn8=",
      "2007-03-29T03:40:19Z",
    ],
  ])("signs AWS's example %j", (text, signature, time) => {
    expect(faultOf(text, signature, time)).toBeUndefined();
    expect(faultOf(text.replace("puppy", "kitten"), signature, time)).toBe("invalid signature");
  });

  it("looks at the age of the text, which Keystone does not", () => {
    const dated = "GET\n\n\nTue, 27 Mar 2007 19:36:42 +0000\n/b/o";
    expect(faultOf(dated, sign(dated), "2007-03-27T19:51:42Z")).toBeUndefined();
    expect(faultOf(dated, sign(dated), "2007-03-27T19:51:43Z")).toContain("too old");
    const expiring = "GET\n\n\n1175139620\n/b/o";
    expect(faultOf(expiring, sign(expiring), "2007-03-29T03:40:20Z")).toContain("expired");
    expect(faultOf(expiring, sign(expiring), "2007-03-20T00:00:00Z")).toContain("expired");
    const byHeader = "GET\n\n\n\nx-amz-acl:private\nx-amz-date:Tue, 27 Mar 2007 19:36:42 GMT\n/b/o";
    expect(faultOf(byHeader, sign(byHeader), "2007-03-27T19:40:00Z")).toBeUndefined();
    expect(faultOf(byHeader, sign(byHeader), "2007-03-27T20:00:00Z")).toContain("too old");
    for (const text of ["ANYTHING", "", "GET\n\n\n\n/b/o", "GET\n\n\nsoon\n/b/o", "GET\n\n\n-1\n/b/o"])
      expect(faultOf(text, sign(text), "2007-03-27T19:40:00Z")).toBeDefined();
  });

  const scope: SigningScope = { date: "20260102", region: "RegionOne", service: "s3" };
  const hash = "ab".repeat(32);
  const TIME = "20260102T030405Z";
  const v4 = signatureV4({ secret: KEY.secret, scope, time: TIME, hash });
  const textV4 = (line = `20260102/RegionOne/s3/aws4_request`, time = TIME) =>
    ["AWS4-HMAC-SHA256", time, line, hash].join("\n");

  it("signs by version 4 too", () => {
    expect(faultOf(textV4(), v4, "2026-01-02T03:10:00Z")).toBeUndefined();
    expect(faultOf(textV4(), v4.replace(/^./, "x"), "2026-01-02T03:10:00Z")).toBe("invalid signature");
    for (const service of ["iam", "sts"]) {
      const signature = signatureV4({ secret: KEY.secret, scope: { ...scope, service }, time: TIME, hash });
      const text = textV4(`20260102/RegionOne/${service}/aws4_request`);
      expect(faultOf(text, signature, "2026-01-02T03:10:00Z")).toBeUndefined();
    }
  });

  it.each([
    ["an hour old", textV4(), "2026-01-02T04:10:00Z", "too old"],
    ["a year old", textV4(), "2027-01-02T03:10:00Z", "too old"],
    ["of another day", textV4("20260103/RegionOne/s3/aws4_request"), "2026-01-02T03:10:00Z", "too old"],
    ["of another service", textV4("20260102/RegionOne/ec2/aws4_request"), "2026-01-02T03:10:00Z", '"ec2"'],
    ["with another end", textV4("20260102/RegionOne/s3/x"), "2026-01-02T03:10:00Z", "malformed"],
    ["of three lines", textV4().replace(`\n${hash}`, ""), "2026-01-02T03:10:00Z", "malformed"],
    ["of five lines", `${textV4()}\nmore`, "2026-01-02T03:10:00Z", "malformed"],
    ["by another algorithm", textV4().replace("256", "512"), "2026-01-02T03:10:00Z", "malformed"],
  ])("rejects a text %s", (_, text, time, fault) => {
    expect(faultOf(text, v4, time)).toContain(fault);
  });
});
