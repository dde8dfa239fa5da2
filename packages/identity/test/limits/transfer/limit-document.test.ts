import { expect, it } from "vitest";

import { parseLimitDocument } from "../../../src/limits/transfer/limit-document.js";

it.each([
  ["", /^At the top: null is not of type|^At the top: None is not of type 'object'$/],
  ["limits: []", /^At the top: 'registered_limits' is a required property$/],
  [
    "registered_limits: []\nlimits:\n  - {domain_id: d, service_id: x, resource_name: a, resource_limit: 1}",
    /^At limits\.0\.service_id: Invalid input for field\/attribute service_id\. Value: x\. 'x' is not a 'uuid'$/,
  ],
  ["registered_limits: [", /at line 1, column 21/],
  ["limits: &a [*a]", /./],
])("says what is wrong with %j", (text, message) => {
  expect(() => parseLimitDocument(text)).toThrow(message);
});
