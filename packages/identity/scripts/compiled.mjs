/** The compiled modules in dist/, apart from the bundle and the console's page, which stand beside them. */
export const NAME = "hamkit-identity";
/** Run in threads of their own: the bundle asks for them by these names. */
export const THREADS = ["reader-thread", "metadata-thread"];

const BUNDLED = new RegExp(`/dist/(?:${[NAME, ...THREADS].join("|")})|/dist/console/page/`);

/** Whether a file in dist/ is one. */
export const isCompiled = (path) => path.endsWith(".js") && !BUNDLED.test(path);
