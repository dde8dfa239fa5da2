import { describe, expect, it } from "vitest";

import { parsePostgresAddress } from "../../../../src/platform/database/postgres/postgres-address.js";

describe("an address of PostgreSQL", () => {
  it.each([
    ["postgres://u:p@h/db", ["postgres://u:p@h/db"], "any"],
    ["postgresql://h:5433/db?sslmode=verify-full", ["postgresql://h/db?port=5433"], "any"],
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
    expect(parsePostgresAddress(url)).toMatchObject({ urls, targetSession });
  });

  it.each([
    ["", { mode: "disable", channelBinding: "prefer", minVersion: "TLSv1.2" }],
    ["sslmode=prefer", { mode: "prefer" }],
    ["sslmode=require", { mode: "require", rootCertFile: undefined }],
    ["ssl=true", { mode: "require" }],
    // As in libpq: a root certificate that is named is used.
    ["sslmode=require&sslrootcert=%2Fa%20b.pem", { mode: "verify-ca", rootCertFile: "/a b.pem" }],
    ["sslrootcert=/a.pem", { mode: "verify-full", rootCertFile: "/a.pem" }],
    ["sslmode=verify-full&sslrootcert=system", { mode: "verify-full", rootCertFile: undefined }],
    [
      "sslmode=verify-full&sslcert=c&sslkey=k&sslpassword=p%26&sslcrl=r&ssl_min_protocol_version=TLSv1.3&channel_binding=require",
      {
        certFile: "c",
        keyFile: "k",
        keyPassword: "p&",
        crlFile: "r",
        minVersion: "TLSv1.3",
        channelBinding: "require",
      },
    ],
  ])("has its TLS in parameters: %s", (parameters, tls) => {
    const address = parsePostgresAddress(`postgres://h1,h2/db?${parameters}&options=x&connect_timeout=7`);
    expect(address.tls).toMatchObject(tls);
    expect(address.urls).toEqual(["postgres://h1/db?options=x", "postgres://h2/db?options=x"]);
    expect(address.connectTimeoutMs).toBe(7000);
  });

  it.each([
    ["sslmode=allow", "sslmode is not one of disable, prefer, require, verify-ca, verify-full"],
    ["sslmode=no-verify", "sslmode is not one of disable, prefer, require, verify-ca, verify-full"],
    ["sslmode=verify-ca", "sslmode=verify-ca needs the file of its authority in sslrootcert"],
    [
      "sslmode=require&sslrootcert=system",
      "sslrootcert=system needs sslmode=verify-full: sslmode is require",
    ],
    ["sslmode=require&sslcert=c", "sslcert and sslkey must be set together"],
    ["channel_binding=require", "channel_binding=require needs TLS: sslmode is disable"],
    ["sslmode=prefer&channel_binding=require", "channel_binding=require needs TLS: sslmode is prefer"],
    ["channel_binding=yes", "channel_binding is not one of disable, prefer, require"],
    ["ssl_min_protocol_version=TLSv1", "ssl_min_protocol_version is not one of TLSv1.2, TLSv1.3"],
    ["requirepeer=postgres", "requirepeer is not supported"],
    ["sslrootcert=%zz", "sslrootcert is not percent-encoded text"],
    ["connect_timeout=soon", "connect_timeout is not a number of seconds up to 9999"],
  ])("is refused with %s", (parameters, message) => {
    expect(() => parsePostgresAddress(`postgres://h/db?${parameters}`)).toThrow(new TypeError(message));
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
