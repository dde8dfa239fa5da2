/** Tests on PostgreSQL, and tests that need other programs than Node. Installs missing packages, on Debian and as root. */
import { existsSync, rmSync, writeFileSync } from "node:fs";

import { run } from "./prepare.mjs";
import { runTests } from "./vitest.mjs";

/** Perl's compiled modules, on this machine's architecture. */
const PERL = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/perl5/5.36`;

/** Debian's packages, and a file that proves that one is installed. */
const PACKAGES = [
  { name: "apache2-bin", file: "/usr/sbin/apache2" },
  { name: "chromium-headless-shell", file: "/usr/bin/chromium-headless-shell" },
  { name: "curl", file: "/usr/bin/curl" },
  { name: "etcd-server", file: "/usr/bin/etcd" },
  { name: "libapache2-mod-auth-mellon", file: "/usr/lib/apache2/modules/mod_auth_mellon.so" },
  { name: "libapache2-mod-auth-openidc", file: "/usr/lib/apache2/modules/mod_auth_openidc.so" },
  { name: "libapache2-mod-wsgi-py3", file: "/usr/lib/apache2/modules/mod_wsgi.so" },
  // The database of glewlwyd's own service, which is not used.
  { name: "dbconfig-sqlite3", file: "/usr/share/doc/dbconfig-sqlite3" },
  { name: "glewlwyd", file: "/usr/bin/glewlwyd" },
  // A keyring of Linux, a program that reads it, and the bus between them.
  { name: "dbus-daemon", file: "/usr/bin/dbus-run-session" },
  { name: "gnome-keyring", file: "/usr/bin/gnome-keyring-daemon" },
  { name: "libsecret-tools", file: "/usr/bin/secret-tool" },
  { name: "nginx-light", file: "/usr/sbin/nginx" },
  { name: "haproxy", file: "/usr/sbin/haproxy" },
  { name: "faketime", file: "/usr/bin/faketime" },
  { name: "mariadb-server", file: "/usr/sbin/mariadbd" },
  { name: "openssl", file: "/usr/bin/openssl" },
  { name: "trustedqsl", file: "/usr/share/TrustedQSL/config.xml" },
  { name: "iproute2", file: "/usr/sbin/ip" },
  { name: "jq", file: "/usr/bin/jq" },
  { name: "kubernetes-client", file: "/usr/bin/kubectl" },
  { name: "ldap-utils", file: "/usr/bin/ldapsearch" },
  // LemonLDAP::NG's portal, and packages that it only recommends.
  { name: "liblemonldap-ng-portal-perl", file: "/usr/share/perl5/Lemonldap/NG/Portal.pm" },
  { name: "libcrypt-openssl-bignum-perl", file: `${PERL}/Crypt/OpenSSL/Bignum/CTX.pm` },
  { name: "libgd-securityimage-perl", file: "/usr/share/perl5/GD/SecurityImage/GD.pm" },
  { name: "libimage-magick-perl", file: `${PERL}/Image/Magick/Q16.pm` },
  { name: "libio-string-perl", file: "/usr/share/perl5/IO/String.pm" },
  { name: "liblasso-perl", file: `${PERL}/Lasso.pm` },
  { name: "libstring-random-perl", file: "/usr/share/perl5/String/Random.pm" },
  { name: "libunicode-string-perl", file: `${PERL}/Unicode/CharName.pm` },
  { name: "libxml-simple-perl", file: "/usr/share/perl5/XML/Simple.pm" },
  { name: "openstack-dashboard", file: "/usr/share/openstack-dashboard/manage.py" },
  // With the client of etcd that it needs, and only recommends.
  { name: "patroni", file: "/usr/bin/patroni" },
  { name: "python3-etcd", file: "/usr/lib/python3/dist-packages/etcd/__init__.py" },
  { name: "pgbouncer", file: "/usr/sbin/pgbouncer" },
  // SimpleSAMLphp runs in PHP's own web server; with this package it needs no module of Apache's.
  { name: "php-cgi", file: "/usr/bin/php-cgi" },
  { name: "php-cli", file: "/usr/bin/php" },
  { name: "php-mbstring", file: "/etc/php/8.2/mods-available/mbstring.ini" },
  { name: "php-xml", file: "/etc/php/8.2/mods-available/dom.ini" },
  { name: "slapd", file: "/usr/sbin/slapd" },
  // A PKCS#11 token, and the tool that makes its keys.
  { name: "softhsm2", file: "/usr/lib/softhsm/libsofthsm2.so" },
  { name: "opensc", file: "/usr/bin/pkcs11-tool" },
  { name: "rabbitmq-server", file: "/usr/lib/rabbitmq/bin/rabbitmq-server" },
  { name: "redis-server", file: "/usr/bin/redis-server" },
  { name: "redis-tools", file: "/usr/bin/redis-cli" },
  { name: "prometheus", file: "/usr/bin/prometheus" },
  { name: "postgresql", file: "/usr/bin/psql" },
  {
    name: "keystone-tempest-plugin",
    file: "/usr/lib/python3/dist-packages/keystone_tempest_plugin/__init__.py",
  },
  { name: "python3-barbican", file: "/usr/lib/python3/dist-packages/barbican/__init__.py" },
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
  { name: "python3-placement", file: "/usr/lib/python3/dist-packages/placement/__init__.py" },
  { name: "python3-psycopg2", file: "/usr/lib/python3/dist-packages/psycopg2/__init__.py" },
  { name: "python3-pysaml2", file: "/usr/lib/python3/dist-packages/saml2/__init__.py" },
  { name: "python3-redis", file: "/usr/lib/python3/dist-packages/redis/__init__.py" },
  { name: "python3-requests", file: "/usr/lib/python3/dist-packages/requests/__init__.py" },
  { name: "python3-swift", file: "/usr/lib/python3/dist-packages/swift/__init__.py" },
  { name: "python3-tempest", file: "/usr/lib/python3/dist-packages/tempest/__init__.py" },
  { name: "python3-waitress", file: "/usr/lib/python3/dist-packages/waitress/__init__.py" },
  { name: "simplesamlphp", file: "/usr/share/simplesamlphp/www/saml2/idp/metadata.php" },
  { name: "xmlsec1", file: "/usr/bin/xmlsec1" },
];

/** Runs a project of vitest.system.config.ts. No test may be skipped. */
export function systemTests(project) {
  if (!installPackages()) return { passed: 0, failed: 1 };
  return runTests({ config: "vitest.system.config.ts", project, maySkip: false });
}

/** Of rehearsals alone. */
export const REHEARSAL_PACKAGES = [
  // To build images and Debian packages, and to install these.
  { name: "buildah", file: "/usr/bin/buildah" },
  { name: "debhelper", file: "/usr/bin/dh" },
  { name: "debootstrap", file: "/usr/sbin/debootstrap" },
  { name: "lintian", file: "/usr/bin/lintian" },
  { name: "systemd-container", file: "/usr/bin/systemd-nspawn" },
  { name: "barbican-keystone-listener", file: "/usr/bin/barbican-keystone-listener" },
  {
    name: "ceilometer-agent-notification",
    file: "/usr/bin/ceilometer-agent-notification",
  },
  { name: "python3-amqp", file: "/usr/lib/python3/dist-packages/amqp/__init__.py" },
  { name: "samba-ad-dc", file: "/usr/sbin/samba" },
  { name: "samba-ad-provision", file: "/usr/share/samba/setup/provision.ldif" },
];

/** Installs missing packages. @param more Those in addition to what all tests need. @returns Whether all packages are installed. */
export function installPackages(more = []) {
  const missing = [...PACKAGES, ...more].filter(({ file }) => !existsSync(file)).map(({ name }) => name);
  if (missing.length === 0 || aptInstall(missing)) return true;
  console.error(`Missing packages that can't be installed: ${missing.join(", ")}`);
  return false;
}

/** Asked by packages whether their services may be started: tests start them, in folders and on ports of their own. */
const POLICY = "/usr/sbin/policy-rc.d";

/** Another process may be installing packages, such as the updates of a new machine. */
const WAIT_FOR_LOCK = "--option=DPkg::Lock::Timeout=600";

function aptInstall(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const isOwn = !existsSync(POLICY);
  if (isOwn) writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    return [
      ["update", "--quiet=2", WAIT_FOR_LOCK],
      ["install", "--quiet=2", "--yes", WAIT_FOR_LOCK, "--no-install-recommends", ...names],
    ].every((args) => run("apt-get", args, { stdio: ["ignore", 2, 2], env }).status === 0);
  } finally {
    if (isOwn) rmSync(POLICY);
  }
}
