import { expect, it } from "vitest";

import { createLinks } from "../../../src/platform/http/links.js";

const links = createLinks("https://id.example.com");

it.each([
  ["one", "one"],
  ["a/b", "a%2Fb"],
  ["50% ?#", "50%25%20%3F%23"],
  ["☃", "%E2%98%83"],
  ["https://idp", "https:%2F%2Fidp"],
  ["a:b@c,d=f+g&h$", "a:b@c,d=f+g&h$"],
  ["x; Path=/; Domain=example.com", "x%3B%20Path=%2F%3B%20Domain=example.com"],
])("links escape of an id what has to be (escaped-links): %s", (id, escaped) => {
  expect(links.self("/v3/things", id)).toBe(`https://id.example.com/v3/things/${escaped}`);
  expect(new URL(links.self("/v3/things", id)).href).toBe(`https://id.example.com/v3/things/${escaped}`);
  expect(decodeURIComponent(escaped)).toBe(id);
});

it("links of what belongs to something name both", () => {
  expect(links.self("/v3/things", "a b", "parts", "1")).toBe(
    "https://id.example.com/v3/things/a%20b/parts/1",
  );
});
