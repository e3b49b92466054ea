import { expect, it } from "vitest";
import { editLink, version } from "./.vitepress/manifest.ts";

const REPOSITORY = { repository: { url: "git+https://code.example/purse.git" } };

it("editLink() is that of the repository, or of the setting, and there is none without both", () => {
  expect(editLink({}, {})).toBeUndefined();
  expect(editLink(REPOSITORY, {})?.pattern).toBe("https://code.example/purse/edit/main/docs/:path");
  expect(editLink({ repository: "https://code.example/purse" }, {})?.pattern).toBe(
    "https://code.example/purse/edit/main/docs/:path",
  );
  const env = { PURSE_DOCS_EDIT_URL: "https://edit.example/:path" };
  expect(editLink(REPOSITORY, env)?.pattern).toBe("https://edit.example/:path");
});

it("version is that of the project", () => {
  expect(version).toMatch(/^v\d+\.\d+\.\d+/);
});
