/** The list of the service's operations by group: small enough for the page itself, which is searched and read without the document. */
import { readFileSync } from "node:fs";

const DOCUMENT = new URL("../../generated/openapi.json", import.meta.url);

export default {
  load() {
    const { paths, tags } = JSON.parse(readFileSync(DOCUMENT, "utf8"));
    const entries = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([
          method,
          {
            operationId: id,
            summary,
            tags: [tag],
          },
        ]) => ({ path, method, id, summary, tag }),
      ),
    );
    return {
      groups: tags.map(({ name }) => ({
        name,
        entries: entries.filter(({ tag }) => tag === name).map(({ tag: _tag, ...entry }) => entry),
      })),
    };
  },
};
