import { expect, it } from "vitest";

import { createTokenDecoder } from "../../src/tokens/fernet.js";
import type { TokenPayload } from "../../src/tokens/token-payload.js";

it("1000 tokens are cached decoded: one more replaces the oldest", () => {
  const decoded: string[] = [];
  const keys = {};
  const decode = createTokenDecoder((_, text) => {
    decoded.push(text);
    return { userId: text } as TokenPayload;
  });
  for (let number = 1; number <= 1000; number++) decode(keys, `t${number}`);
  expect(decode(keys, "t1")?.userId).toBe("t1");
  expect(decoded).toHaveLength(1000);
  for (const text of ["t1001", "t2", "t1"]) decode(keys, text);
  expect(decoded.slice(1000)).toEqual(["t1001", "t1"]);
});
