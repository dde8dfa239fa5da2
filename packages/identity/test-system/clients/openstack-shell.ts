/** An interactive `openstack` process for many commands: its start takes longer than most of them. */
import { spawn } from "node:child_process";
import { once } from "node:events";

import { ADMIN_PASSWORD } from "../service-process.js";

/** Printed after the answer to each command. */
const MARK = "@@done@@";

export interface OpenstackShell {
  /** What is printed, errors included. */
  type(command: string): Promise<string>;
  close(): Promise<void>;
}

/** Environment of the `openstack` command as administrator of a service. */
export function administratorOf(url: string): Readonly<Record<string, string>> {
  return {
    OS_AUTH_URL: url,
    OS_USERNAME: "admin",
    OS_PASSWORD: ADMIN_PASSWORD,
    OS_PROJECT_NAME: "admin",
    OS_USER_DOMAIN_ID: "default",
    OS_PROJECT_DOMAIN_ID: "default",
    OS_IDENTITY_API_VERSION: "3",
    NO_PROXY: "127.0.0.1",
  };
}

/**
 * As the administrator of a service.
 *
 * @param folder Where files that commands name are; this process's own if left out.
 */
export function openOpenstackShell(url: string, folder?: string): OpenstackShell {
  const child = spawn("/bin/sh", ["-c", "exec /usr/bin/openstack 2>&1"], {
    stdio: ["pipe", "pipe", "inherit"],
    ...(folder !== undefined && { cwd: folder }),
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      PYTHONUNBUFFERED: "1",
      ...administratorOf(url),
    },
  });
  const ended = once(child, "close");
  child.stdout.setEncoding("utf8");
  return {
    async type(command) {
      child.stdin.write(`${command}\n!echo ${MARK}\n`);
      let answer = "";
      while (!answer.endsWith(`${MARK}\n`)) {
        const [text] = (await Promise.race([once(child.stdout, "data"), ended])) as [unknown];
        if (typeof text !== "string") throw new Error(`openstack has ended: ${answer}`);
        answer += text;
      }
      return answer.slice(0, -MARK.length - 1).trim();
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
