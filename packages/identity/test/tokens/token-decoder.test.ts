import { expect, it } from "vitest";

import { createTokenDecoder } from "../../src/tokens/token-decoder.js";
import type { TokenPayload } from "../../src/tokens/token-payload.js";

it("5000 tokens are cached decoded: one more replaces the oldest", () => {
  const decoded: string[] = [];
  const keys = {};
  const decode = createTokenDecoder((_, text) => {
    decoded.push(text);
    return { userId: text } as TokenPayload;
  });
  for (let number = 1; number <= 5000; number++) decode(keys, `t${number}`);
  expect(decode(keys, "t1")?.userId).toBe("t1");
  expect(decoded).toHaveLength(5000);
  for (const text of ["t5001", "t2", "t1"]) decode(keys, text);
  expect(decoded.slice(5000)).toEqual(["t5001", "t1"]);
});
