import { describe, expect, it } from "vitest";

import { OAuth1ParameterError } from "../../src/oauth1/oauth1-store.js";
import { isSignedBy, readParameters, signatureBase } from "../../src/oauth1/oauth1-verification.js";

/** The request for a photo in section 1.2 of RFC 5849. */
const PHOTOS = "http://photos.example.net";
const HEADER = `OAuth realm="Photos",
  oauth_consumer_key="dpf43f3p2l4k3l03",
  oauth_token="nnch734d00sl2jdk",
  oauth_signature_method="HMAC-SHA1",
  oauth_timestamp="137131202",
  oauth_nonce="chapoH",
  oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"`;
const SECRETS = { consumer: "kd94hf93k423kf44", token: "pfkkdhi9sl3r4s00" };
const request = {
  method: "GET",
  path: "/photos?file=vacation.jpg&size=original",
  parameters: readParameters(HEADER),
};

describe("the signature of an OAuth 1.0a request", () => {
  it("is that of RFC 5849's example", () => {
    expect(isSignedBy(request, SECRETS, PHOTOS)).toBe(true);
  });

  it("covers method, address, parameters and both secrets", () => {
    for (const other of [
      { ...request, method: "POST" },
      { ...request, path: "/photos?file=vacation.jpg&size=thumbnail" },
      { ...request, path: "/photos" },
      { ...request, path: "/albums?file=vacation.jpg&size=original" },
      { ...request, parameters: new Map([...request.parameters, ["oauth_nonce", "chapoI"]]) },
      { ...request, parameters: new Map([...request.parameters, ["oauth_verifier", "x"]]) },
    ])
      expect(isSignedBy(other, SECRETS, PHOTOS)).toBe(false);
    expect(isSignedBy(request, { ...SECRETS, token: "" }, PHOTOS)).toBe(false);
    expect(isSignedBy(request, { ...SECRETS, consumer: "" }, PHOTOS)).toBe(false);
    expect(isSignedBy(request, SECRETS, "https://photos.example.net")).toBe(false);
    expect(isSignedBy(request, SECRETS, "http://photos.example.org")).toBe(false);
  });

  it("is not in a request without one", () => {
    for (const signature of [undefined, "", "!", "AAAA"]) {
      const parameters = new Map(request.parameters);
      parameters.delete("oauth_signature");
      if (signature !== undefined) parameters.set("oauth_signature", signature);
      expect(isSignedBy({ ...request, parameters }, SECRETS, PHOTOS)).toBe(false);
    }
  });

  // Section 3.4.1.3.2: encoded, sorted by name and then by value; 3.4.1.2: scheme and host in lower case, no default port.
  it("is made of a normalized text", () => {
    const path = "/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b&a3=2+q";
    const parameters = new Map([
      ["realm", "Example"],
      ["oauth_consumer_key", "9djdj82h48djs9d2"],
      ["oauth_signature", "x"],
    ]);
    expect(signatureBase({ method: "POST", path, parameters }, "HTTP://EXAMPLE.COM:80")).toBe(
      "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26" +
        "oauth_consumer_key%3D9djdj82h48djs9d2",
    );
  });
});

describe("an authorization header", () => {
  it("has parameters, in any case of the scheme", () => {
    expect([...readParameters('oauth a="1",  b="%20%C3%A4"')]).toEqual([
      ["a", "1"],
      ["b", " ä"],
    ]);
    for (const other of [undefined, "", "Basic abc", "OAuth", 'OAuths a="1"'])
      expect(readParameters(other).size).toBe(0);
  });

  it.each([
    "OAuth a=1",
    'OAuth a="1" b="2"',
    'OAuth a="1",',
    'OAuth a="1",a="2"',
    'OAuth a="1",%61="2"',
    'OAuth a="%zz"',
  ])("is rejected if malformed: %s", (header) => {
    expect(() => readParameters(header)).toThrow(OAuth1ParameterError);
  });
});
