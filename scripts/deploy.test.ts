import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const filesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter((file) => statSync(join(ROOT, file)).isFile());

/** Variables of the compose files themselves. */
const OF_COMPOSE = new Set(["PURSE_DOMAIN"]);
const VARIABLE = /\bPURSE_[A-Z][A-Z0-9_]*/g;

describe("deployment files", () => {
  it.each(["Dockerfile", ...filesOf("deploy")])("refer only to settings that exist: %s", (file) => {
    const settings = new Set(read("docs/reference/configuration.md").match(VARIABLE));
    const named = (read(file).match(VARIABLE) ?? []).filter((name) => !OF_COMPOSE.has(name));
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
  });

  it("include a Dockerfile whose needed files are not in .dockerignore", () => {
    const ignored = read(".dockerignore").split("\n").filter(Boolean);
    const needed = ["package.json", "package-lock.json", "apps", "cloud", "docs", "packages", "scripts"];
    expect(needed.filter((path) => ignored.includes(path))).toEqual([]);
    for (const private_ of [".git", "data", "**/node_modules"]) expect(ignored).toContain(private_);
  });

  it("include a Helm chart with the version of the packages", () => {
    const { version } = JSON.parse(read("packages/cli/package.json"));
    expect(read("deploy/helm/purse/Chart.yaml")).toContain(
      `\nversion: ${version}\nappVersion: "${version}"\n`,
    );
  });

  it("include Helm templates that use exactly the values of the chart", () => {
    const used = filesOf("deploy/helm/purse/templates").flatMap((file) =>
      [...read(file).matchAll(/\.Values\.([a-zA-Z.]+)/g)].map(([, path = ""]) => path),
    );
    const values = valuePaths(read("deploy/helm/purse/values.yaml"));
    expect(used.filter((path) => !values.includes(path))).toEqual([]);
    const unused = values.filter((path) => !used.some((other) => `${path}.`.startsWith(`${other}.`)));
    expect(unused.filter((path) => !values.some((other) => other.startsWith(`${path}.`)))).toEqual([]);
  });
});

/** The paths of a file of values, two levels deep, as in `image.tag`. */
function valuePaths(yaml: string): string[] {
  let parent = "";
  return yaml.split("\n").flatMap((line) => {
    const [, indent, name] = /^( {2})?([a-zA-Z]+):/.exec(line) ?? [];
    if (name === undefined) return [];
    if (indent === undefined) parent = name;
    return [indent === undefined ? name : `${parent}.${name}`];
  });
}
