/** Tests on PostgreSQL, and tests that need other programs than Node. Installs missing packages, on Debian and as root. */
import { existsSync } from "node:fs";

import { run } from "./prepare.mjs";
import { runTests } from "./vitest.mjs";

/** Debian's packages, and a file that proves that one is installed. */
const PACKAGES = [
  { name: "apache2-bin", file: "/usr/sbin/apache2" },
  { name: "chromium", file: "/usr/bin/chromium" },
  { name: "curl", file: "/usr/bin/curl" },
  { name: "libapache2-mod-auth-mellon", file: "/usr/lib/apache2/modules/mod_auth_mellon.so" },
  { name: "libapache2-mod-auth-openidc", file: "/usr/lib/apache2/modules/mod_auth_openidc.so" },
  { name: "libapache2-mod-wsgi-py3", file: "/usr/lib/apache2/modules/mod_wsgi.so" },
  { name: "nginx-light", file: "/usr/sbin/nginx" },
  { name: "haproxy", file: "/usr/sbin/haproxy" },
  { name: "faketime", file: "/usr/bin/faketime" },
  { name: "mariadb-server", file: "/usr/sbin/mariadbd" },
  { name: "openssl", file: "/usr/bin/openssl" },
  { name: "jq", file: "/usr/bin/jq" },
  { name: "redis-server", file: "/usr/bin/redis-server" },
  { name: "redis-tools", file: "/usr/bin/redis-cli" },
  { name: "postgresql", file: "/usr/bin/psql" },
  {
    name: "keystone-tempest-plugin",
    file: "/usr/lib/python3/dist-packages/keystone_tempest_plugin/__init__.py",
  },
  { name: "python3-bcrypt", file: "/usr/lib/python3/dist-packages/bcrypt/__init__.py" },
  { name: "python3-botocore", file: "/usr/lib/python3/dist-packages/botocore/__init__.py" },
  { name: "python3-cryptography", file: "/usr/lib/python3/dist-packages/cryptography/__init__.py" },
  { name: "python3-glance", file: "/usr/lib/python3/dist-packages/glance/__init__.py" },
  { name: "python3-keystone", file: "/usr/bin/keystone-manage" },
  {
    name: "python3-keystoneclient",
    file: "/usr/lib/python3/dist-packages/keystoneclient/__init__.py",
  },
  { name: "python3-keystoneauth1", file: "/usr/lib/python3/dist-packages/keystoneauth1/__init__.py" },
  {
    name: "python3-keystonemiddleware",
    file: "/usr/lib/python3/dist-packages/keystonemiddleware/__init__.py",
  },
  { name: "python3-lasso", file: "/usr/lib/python3/dist-packages/lasso.py" },
  { name: "python3-openstackclient", file: "/usr/bin/openstack" },
  { name: "python3-oslo.limit", file: "/usr/lib/python3/dist-packages/oslo_limit/__init__.py" },
  { name: "python3-passlib", file: "/usr/lib/python3/dist-packages/passlib/__init__.py" },
  { name: "python3-psycopg2", file: "/usr/lib/python3/dist-packages/psycopg2/__init__.py" },
  { name: "python3-pysaml2", file: "/usr/lib/python3/dist-packages/saml2/__init__.py" },
  { name: "python3-redis", file: "/usr/lib/python3/dist-packages/redis/__init__.py" },
  { name: "python3-requests", file: "/usr/lib/python3/dist-packages/requests/__init__.py" },
  { name: "python3-swift", file: "/usr/lib/python3/dist-packages/swift/__init__.py" },
  { name: "python3-tempest", file: "/usr/lib/python3/dist-packages/tempest/__init__.py" },
  { name: "xmlsec1", file: "/usr/bin/xmlsec1" },
];

/** Runs the tests of both databases on PostgreSQL, and `test-system` of each package. No test may be skipped. */
export function systemChecks() {
  if (!installPackages()) return { passed: 0, failed: 1 };
  return runTests({ config: "vitest.system.config.ts", maySkip: false });
}

/** Installs missing packages. @returns Whether all packages are installed. */
export function installPackages() {
  const missing = PACKAGES.filter(({ file }) => !existsSync(file)).map(({ name }) => name);
  if (missing.length === 0 || aptInstall(missing)) return true;
  console.error(`Missing packages that can't be installed: ${missing.join(", ")}`);
  return false;
}

function aptInstall(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return [
    ["update", "--quiet=2"],
    ["install", "--quiet=2", "--yes", "--no-install-recommends", ...names],
  ].every((args) => run("apt-get", args, { stdio: ["ignore", 2, 2], env }).status === 0);
}
