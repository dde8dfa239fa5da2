import { describe, expect, it } from "vitest";

import { commandLine, freePort, type Run } from "../command-line.js";

const { finish, start } = commandLine();

const MADE = "Created the domain default, the user and the project admin, the roles and the catalog.\n";
const GIVEN = "The password of the user admin is that of IDENTITY_ADMIN_PASSWORD.\n";
const NEW = /The password of the user admin, shown only once: ([\w-]{24})\n$/;
const WITHOUT_PASSWORD = { IDENTITY_ADMIN_PASSWORD: "" };

describe("hamkit-identity bootstrap", () => {
  it("makes what the first start makes, once, and prints the password if it made one", async () => {
    const first = await finish(["bootstrap"], WITHOUT_PASSWORD);
    expect(first).toMatchObject({ exit: 0, errors: "" });
    expect(first.output.startsWith(MADE)).toBe(true);
    const [, password = ""] = NEW.exec(first.output) ?? [];
    expect(await finish(["bootstrap"], WITHOUT_PASSWORD)).toEqual({
      exit: 0,
      output: "Already bootstrapped; use --reset-password to reset the administrator's password.\n",
      errors: "",
    });
    const service = await serving();
    expect((await service.logIn(password)).status).toBe(201);
    expect((await service.logIn("adminpw")).status).toBe(401);
  });

  it("uses the given password, and never prints it", async () => {
    expect(await finish(["bootstrap"])).toEqual({ exit: 0, output: MADE + GIVEN, errors: "" });
  });

  it("resets a password while the service runs, which revokes earlier tokens", async () => {
    await finish(["bootstrap"]);
    const service = await serving();
    const before = await service.logIn("adminpw");
    expect(await service.look(before)).toBe(200);

    const reset = await finish(["bootstrap", "--reset-password"], WITHOUT_PASSWORD);
    expect(reset).toMatchObject({ exit: 0, errors: "" });
    const [, password = ""] = NEW.exec(reset.output) ?? [];
    expect(await service.look(before)).toBe(401);
    expect((await service.logIn("adminpw")).status).toBe(401);
    expect(await service.look(await service.logIn(password))).toBe(200);

    const given = { IDENTITY_ADMIN_PASSWORD: "chosen" };
    expect((await finish(["bootstrap", "--reset-password"], given)).output).toContain(GIVEN);
    expect((await service.logIn("chosen")).status).toBe(201);
  });

  it("refuses a password that the rules refuse, and changes nothing", async () => {
    await finish(["bootstrap"]);
    const rules = { IDENTITY_PASSWORD_REGEX: "^.{12,}$", IDENTITY_PASSWORD_REGEX_DESCRIPTION: "12 letters" };
    expect(await finish(["bootstrap", "--reset-password"], rules)).toEqual({
      exit: 1,
      output: "",
      errors: "hamkit-identity: The password does not match the requirements: 12 letters.\n",
    });
    expect((await (await serving()).logIn("adminpw")).status).toBe(201);
  });

  it("takes the options of keystone-manage bootstrap, the first time and later", async () => {
    const words = ["--bootstrap-region-id", "regionOne", "--bootstrap-username", "root"];
    const password = { OS_BOOTSTRAP_PASSWORD: "rootpw" };
    const first = await finish(["bootstrap", ...words], password);
    expect(first).toEqual({
      exit: 0,
      output:
        "Created the domain default, the user root and the project admin, the roles and the catalog.\nThe password of the user root is the given one.\n",
      errors: "",
    });
    const later = await finish(["bootstrap", "--bootstrap-public-url", "http://b/v3", ...words], password);
    expect(later).toMatchObject({ exit: 0, errors: "" });
    expect(later.output).toContain("The public endpoint of the region regionOne is http://b/v3\n");
    const wrong = await finish(["bootstrap", "--bootstrap-public-url", "example.org"]);
    expect(wrong).toMatchObject({ exit: 2, output: "" });
    expect(wrong.errors).toContain('--bootstrap-public-url: "example.org" is not a URL');
  });

  it("needs to know where the service will be reached", async () => {
    expect(await finish(["bootstrap"], { IDENTITY_PORT: "0" })).toMatchObject({ exit: 2 });
  });
});

/** The service, on the database of the commands. */
async function serving() {
  const port = await freePort();
  await answering(start(["serve"], { IDENTITY_PORT: String(port), IDENTITY_RATE_LIMIT: "off" }));
  const base = `http://127.0.0.1:${port}/v3`;
  return {
    logIn(password: string): Promise<Response> {
      const user = { name: "admin", domain: { id: "default" }, password };
      const auth = {
        identity: { methods: ["password"], password: { user } },
        scope: { system: { all: true } },
      };
      return fetch(`${base}/auth/tokens`, {
        method: "POST",
        body: JSON.stringify({ auth }),
        headers: JSON_TYPE,
      });
    },
    async look(login: Response): Promise<number> {
      const token = login.headers.get("x-subject-token") ?? "";
      return (await fetch(`${base}/users`, { headers: { "x-auth-token": token } })).status;
    },
  };
}

const JSON_TYPE = { "content-type": "application/json" };

async function answering({ lines, errors, ended }: Run): Promise<void> {
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!lines().some(({ msg }) => msg === "serving")) {
    if (isOver) throw new Error(errors());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
