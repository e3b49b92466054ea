import { expect, it } from "vitest";
import { snippets } from "./snippets.ts";

const SERVER = { serverUrl: "https://purse.example/server", appId: "my-app" };
const ALL = [true, false].flatMap((development) =>
  snippets({ ...SERVER, development }).map((snippet) => ({ ...snippet, development })),
);

it.each(ALL)(
  "the snippet $key installs each package that it imports, those of Purse from the server (development: $development)",
  ({ install = "", code }) => {
    const imported = [...code.matchAll(/(?:from |require\()"([^"]+)"/g)].map(([, name = ""]) => name);
    for (const name of imported) {
      // Users of Moralis have its package already; a page without a build loads the client from the server.
      if (name === "moralis" || name === "https://purse.example/packages/client.js") continue;
      const [, own] = /^@purse\/(.+)$/.exec(name) ?? [];
      const source =
        own === undefined ? name.replace(/\/.*/, "") : `https://purse.example/packages/${own}.tgz`;
      expect(install).toMatch(new RegExp(`^npm install (.* )?${source}( |$)`));
    }
    expect(install + code).not.toMatch(/npm install @purse|npm create/);
  },
);

it("the snippets for production save nothing, as classes are closed to strangers", () => {
  for (const { code } of snippets({ ...SERVER, development: false }))
    expect(code).not.toMatch(/\bsave\b|classes\//);
});
