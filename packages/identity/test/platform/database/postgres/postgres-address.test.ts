import { describe, expect, it } from "vitest";

import { parsePostgresAddress } from "../../../../src/platform/database/postgres/postgres-address.js";

describe("an address of PostgreSQL", () => {
  it.each([
    ["postgres://u:p@h/db", ["postgres://u:p@h/db"], "any"],
    [
      "postgresql://h:5433/db?sslmode=verify-full",
      ["postgresql://h/db?sslmode=verify-full&port=5433"],
      "any",
    ],
    ["postgres://u:p%40ss@h/db?target_session_attrs=read-write", ["postgres://u:p%40ss@h/db"], "read-write"],
    [
      "postgres://u:p@h1:5433,h2/db?options=-c%20search_path=x",
      [
        "postgres://u:p@h1/db?options=-c%20search_path=x&port=5433",
        "postgres://u:p@h2/db?options=-c%20search_path=x",
      ],
      "read-write",
    ],
    ["postgres://h1,h2/db?target_session_attrs=primary", ["postgres://h1/db", "postgres://h2/db"], "primary"],
    ["postgres://h1,h2/db?target_session_attrs=any", ["postgres://h1/db", "postgres://h2/db"], "any"],
    [
      "postgres://u@/db?host=h1,h2&port=5433,5434",
      ["postgres://u@h1/db?port=5433", "postgres://u@h2/db?port=5434"],
      "read-write",
    ],
    [
      "postgres://u@/db?host=h1%2Ch2&port=6000&load_balance_hosts=disable",
      ["postgres://u@h1/db?port=6000", "postgres://u@h2/db?port=6000"],
      "read-write",
    ],
    [
      "postgres://u@[2001:db8::1]:5433,[::1]/db",
      ["postgres://u@[2001:db8::1]/db?port=5433", "postgres://u@[::1]/db"],
      "read-write",
    ],
    ["postgres:///db?host=/var/run/postgresql", ["postgres:///db?host=/var/run/postgresql"], "any"],
    [
      "postgres://%2Frun%2Fa,%2Frun%2Fb/db",
      ["postgres:///db?host=%2Frun%2Fa", "postgres:///db?host=%2Frun%2Fb"],
      "read-write",
    ],
  ] as const)("%s", (url, urls, targetSession) => {
    expect(parsePostgresAddress(url)).toEqual({ urls, targetSession });
  });

  it.each([
    "postgres://u:hidden@h:x/db",
    "postgres://u:hidden@h:70000/db",
    "postgres://u:hidden@h1,h2/db?port=1,2,3",
    "postgres://u:hidden@h1,h2/db?target_session_attrs=standby",
    "postgres://u:hidden@h/db?target_session_attrs=",
    "postgres://u:hidden@h/db?hostaddr=10.0.0.1",
    "postgres://u:hidden@h1:1:2/db",
    "mysql://u:hidden@h/db",
  ])("%s is refused, and its password is not in the message", (url) => {
    expect(() => parsePostgresAddress(url)).toThrow(TypeError);
    expect(() => parsePostgresAddress(url)).not.toThrow(/hidden/);
  });
});
