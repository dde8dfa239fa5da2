/** What the search does with words, and which pages it puts last. Functions go to the browser as text: each stands alone. */
export const SEARCH = {
  options: {
    /** Words, and names such as `IDENTITY_PORT` also as a whole. */
    tokenize(text) {
      const names = text.match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+/gu) ?? [];
      return [...text.split(/[\n\r\p{Z}\p{P}]+/u), ...names];
    },
    /**
     * `moving` as `mov`, which `move` finds too. Words that say nothing of a page are left out; `no` stays. A name is `_keystone_port`: otherwise
     * `keystone` would find each rare name that begins with it, and a table of names would come before the pages about Keystone.
     */
    processTerm(term) {
      const word = term.toLowerCase();
      if (
        /^(?:a|an|and|are|by|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|to|what|with)$/.test(word)
      )
        return null;
      return word.includes("_") ? `_${word}` : word.replace(/(?<=\w{3})ing$/, "");
    },
  },
  searchOptions: {
    /** Mistyped words are found, but a name of a setting is like many others, and begins as all of them do. */
    fuzzy: (term) => (term.includes("_") ? false : 0.2),
    prefix: (term) => term !== "identity",
    /** Settings first if one is named; pages for contributors, and lists of everything, after the pages of a task. */
    boostDocument(id, term) {
      if (term.startsWith("_identity_")) return id.startsWith("/identity/configuration.html") ? 10 : 1;
      if (/^\/(?:architecture|glossary|decisions|releases)|error-codes/.test(id)) return 0.3;
      return /\/(?:differences|keystone-cves|policy-rules)\.html/.test(id) ? 0.6 : 1;
    },
  },
};
