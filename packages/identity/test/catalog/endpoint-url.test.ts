import { expect, it } from "vitest";

import { parseUrlTemplate } from "../../src/catalog/endpoint-url.js";

// Keystone refuses these too.
it.each([
  "http://h/%(nope)s",
  "http://h/%(__proto__)s",
  "http://h/$(admin_port)s",
  "http://h/%(project_id)",
  "http://h/$(project_id)",
  "http://h/%(project_id)d",
  "http://h/%(pro(j)ect_id)s",
  "http://h/%()s",
  "http://h/%(user_id",
  "http://h/100%",
  "http://h/%20",
  "http://h/%(user_id)s%",
  "http://h/$$(x)",
])("has no placeholder such as that in %s", (url) => {
  expect(parseUrlTemplate(url)).toBeUndefined();
});

it.each(["http://h/%s", "http://h/%(project_id)5s", "http://h/%(project_id)r", "http://h/%-s"])(
  "placeholders-are-plain: refuses %s",
  (url) => {
    expect(parseUrlTemplate(url)).toBeUndefined();
  },
);
