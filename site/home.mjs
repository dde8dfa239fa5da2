/** The first page has the theme's form of a first page around the text of docs/README.md. */
export function homePage(page) {
  if (page.relativePath !== "index.md") return;
  page.frontmatter = {
    ...page.frontmatter,
    layout: "home",
    hero: { text: "hamkit and identity", tagline: "Two independent products, each with its own pages." },
    features: [
      {
        title: "hamkit",
        details:
          "Amateur radio: callsigns, distance and heading, spots, logs, awards and maps, in TypeScript for Node and browsers.",
        link: "/hamkit",
        linkText: "Modules and guides",
      },
      {
        title: "identity",
        details:
          "Users, projects and tokens of a cloud: the HTTP API of OpenStack Keystone, with federation and a console.",
        link: "/identity/",
        linkText: "Pages by role",
      },
    ],
  };
}
