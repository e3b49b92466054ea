import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

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

  it.each(["compose.yaml", "Caddyfile"])("tell browsers to use https from then on: compose/%s", (file) => {
    expect(read(`deploy/compose/${file}`)).toMatch(/Strict-Transport-Security:? max-age=31536000/);
  });

  it("include a Helm chart with the version of the packages", () => {
    const { version } = JSON.parse(read("packages/cli/package.json"));
    expect(read("deploy/helm/purse/Chart.yaml")).toContain(
      `\nversion: ${version}\nappVersion: "${version}"\n`,
    );
  });

  it("include a Helm chart that writes numbers of settings as JSON, since Helm would write large ones as 2e+07", () => {
    expect(read("deploy/helm/purse/templates/_pod.tpl")).toContain("ternary $value (toJson $value) | quote");
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

/** Helm renders the chart where it is installed, or `PURSE_TEST_HELM` names it. */
const HELM = process.env.PURSE_TEST_HELM ?? "helm";
const hasHelm = spawnSync(HELM, ["version"]).status === 0;

describe.skipIf(!hasHelm)("the Helm chart", () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-chart-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Renders the chart with a file of values; returns the manifests, or the error. */
  function render(values: string): string {
    const file = join(folder, "values.yaml");
    writeFileSync(file, `serverUrl: https://purse.example/server\n${values}`);
    const args = [
      "template",
      "shop",
      join(ROOT, "deploy/helm/purse"),
      "--kube-version",
      "1.30.0",
      "-f",
      file,
    ];
    const { status, stdout, stderr } = spawnSync(HELM, args, { encoding: "utf8" });
    return status === 0 ? stdout : stderr;
  }
  const kindsOf = (manifests: string) => [...manifests.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);

  it("has no errors", () => {
    const values = ["--set", "serverUrl=https://purse.example/server,secretName=keys"];
    const { status, stdout } = spawnSync(HELM, [
      "lint",
      "--strict",
      join(ROOT, "deploy/helm/purse"),
      ...values,
    ]);
    expect([status, String(stdout)]).toEqual([0, expect.stringContaining("0 chart(s) failed")]);
  });

  it("writes numbers of settings as they are", () => {
    const text = render(
      "secretName: keys\nsettings: { PURSE_MAX_BODY_BYTES: 20971520, PURSE_TRACKING: true }\n",
    );
    expect(text).toContain('- name: PURSE_MAX_BODY_BYTES\n              value: "20971520"');
    expect(text).toContain('- name: PURSE_TRACKING\n              value: "true"');
  });

  it("migrates the database in a job before the pods, unless it is in a volume", () => {
    const cluster = render("secretName: keys\n");
    expect(kindsOf(cluster).sort()).toEqual(["Deployment", "Job", "PodDisruptionBudget", "Service"]);
    expect(cluster).toContain("helm.sh/hook: pre-install,pre-upgrade");
    const single = kindsOf(render("replicas: 1\npersistence: { enabled: true }\n"));
    expect(single.sort()).toEqual(["Deployment", "PersistentVolumeClaim", "Service"]);
  });

  it("refuses pods whose database would be lost with them", () => {
    expect(render("")).toContain("each pod would lose a database of its own");
    expect(render("replicas: 1\n")).toContain("each pod would lose a database of its own");
    expect(kindsOf(render("configMapName: settings\n"))).toContain("Deployment");
    expect(render("persistence: { enabled: true }\n")).toContain("several replicas cannot share one volume");
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
