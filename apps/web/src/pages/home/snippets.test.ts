import { expect, it } from "vitest";
import { snippets } from "./snippets.ts";

it.each(snippets("https://purse.example/server", "my-app"))(
  "the snippet $key names how to install each package that it imports",
  ({ install = "", code }) => {
    const imported = [...code.matchAll(/from "([^"]+)"/g)].map(([, name]) => name ?? "");
    for (const name of imported) {
      // Users of Moralis have its package already.
      if (name === "moralis") continue;
      // The packages of Purse are built by its checkout; no registry has them.
      const isOwn = name.startsWith("@purse/");
      expect(install).toContain(isOwn ? name.replace("@purse", ".cache/packages") : `npm install ${name}`);
    }
    expect(install).not.toMatch(/npm install @purse/);
  },
);
