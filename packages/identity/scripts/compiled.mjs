/** The compiled modules in dist/, apart from the bundle and the console's page, which stand beside them. */
export const NAME = "hamkit-identity";
const SAML_THREADS = "federation/protocols/saml2/threads";
/** Run in threads of their own, by their folders: the bundle asks for them by these names. */
export const THREADS = {
  "reader-thread": SAML_THREADS,
  "metadata-thread": SAML_THREADS,
  "collector-thread": "platform/collector",
};

const BUNDLED = new RegExp(`/dist/(?:${[NAME, ...Object.keys(THREADS)].join("|")})|/dist/console/page/`);

/** Whether a file in dist/ is one. */
export const isCompiled = (path) => path.endsWith(".js") && !BUNDLED.test(path);
