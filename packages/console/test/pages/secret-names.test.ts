import { expect, it } from "vitest";

import { secretNamesIn } from "../../src/pages/federation-document/secret-names.ts";

it("finds references in every form that documents may have, each once, and none in comments", () => {
  const text = `client_secret: { env: CORP_SECRET } # set
other: {"env": "JSON_SECRET"}
# { env: COMMENT }
block:
  env: BLOCK_SECRET
again: { env: CORP_SECRET }
file: { file: secret.txt }
`;
  expect(secretNamesIn(text)).toEqual(["CORP_SECRET", "JSON_SECRET", "BLOCK_SECRET"]);
});
