import { expect, it } from "vitest";
import { repositoryOf } from "./publication.ts";

it("repositoryOf() names the repository whose workflow builds the package, and its folder", () => {
  const env = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "someone/purse" };
  expect(repositoryOf("packages/client", env)).toEqual({
    homepage: "https://github.com/someone/purse#readme",
    bugs: { url: "https://github.com/someone/purse/issues" },
    repository: {
      type: "git",
      url: "git+https://github.com/someone/purse.git",
      directory: "packages/client",
    },
  });
  expect(repositoryOf("packages/client", {})).toEqual({});
});
