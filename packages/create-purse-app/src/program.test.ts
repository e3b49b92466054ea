import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CreateError, UsageError } from "./createError.ts";
import { ownVersion } from "./createProject.ts";
import { DEFAULT_PORTS, freePorts } from "./ports.ts";
import { type ProgramContext, runProgram } from "./program.ts";
import type { Questions } from "./questions.ts";
import { STARTERS } from "./starters.ts";

let cwd: string;
let printed: string[];
let installed: string[];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "create-purse-app-"));
  printed = [];
  installed = [];
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function run(args: string[], more: Partial<ProgramContext> = {}): Promise<void> {
  return runProgram(args, {
    cwd,
    questions: undefined,
    manager: "npm",
    install: async (folder) => void installed.push(folder),
    freePorts: async () => DEFAULT_PORTS,
    print: (text) => void printed.push(text),
    ...more,
  });
}

const read = (file: string) => readFileSync(join(cwd, file), "utf8");

describe.each(STARTERS)("the starter $id", ({ id }) => {
  it("is written with the project's name in every file, and with a version of Purse's packages", async () => {
    await run(["my-dapp", "--template", id]);
    const files = readdirSync(join(cwd, "my-dapp"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of files) expect(readFileSync(file, "utf8"), file).not.toContain("my-purse-app");
    const { name, dependencies, devDependencies } = JSON.parse(read("my-dapp/package.json"));
    expect(name).toBe("my-dapp");
    expect(devDependencies.purse).toBe(`^${await ownVersion()}`);
    for (const spec of Object.values({ ...dependencies, ...devDependencies })) expect(spec).toMatch(/\^\d/);
    expect(read("my-dapp/purse.config.ts")).toContain('appId: "my-dapp"');
    expect(read("my-dapp/.gitignore")).toContain("data/");
    expect(existsSync(join(cwd, "my-dapp/_gitignore"))).toBe(false);
  });

  it("has all files that its sources import, and depends on all packages", async () => {
    await run(["my-dapp", "--template", id]);
    const folder = join(cwd, "my-dapp");
    const { dependencies, devDependencies } = JSON.parse(read("my-dapp/package.json"));
    const packages = Object.keys({ ...dependencies, ...devDependencies });
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      /^(src\/|vite\.config).*\.[jt]sx?$/.test(file),
    );
    for (const source of sources) {
      const imports = readFileSync(join(folder, source), "utf8").matchAll(
        /^import (?:.* from )?"([^"]+)";$/gm,
      );
      for (const [, specifier = ""] of imports) {
        const found = specifier.startsWith(".")
          ? ["", ".ts", ".tsx", ".jsx"].some((end) =>
              existsSync(join(folder, dirname(source), `${specifier}${end}`)),
            )
          : specifier.startsWith("node:") ||
            packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
        expect(found, `${source} imports ${specifier}`).toBe(true);
      }
    }
    expect(sources.length).toBeGreaterThan(id === "node" ? 0 : 5);
  });
});

describe.each(STARTERS)("the starter $id beside a running Purse", ({ id }) => {
  it("has free ports in its settings, its sources and what is printed", async () => {
    await run(["my-dapp", "--template", id], { freePorts: async () => ({ server: 1_340, chain: 8_548 }) });
    const texts = readdirSync(join(cwd, "my-dapp"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    const all = [...texts, ...printed].join("\n");
    expect(all).not.toMatch(/:\s?1337\b|8545/);
    expect(read("my-dapp/purse.config.ts")).toMatch(/^ {2}port: 1340,\n {2}devChainPort: 8548,$/m);
    // The script reads them from the settings.
    if (id === "node") return;
    expect(all).toContain("http://127.0.0.1:1340/server");
    expect(all).toContain('"http://127.0.0.1:8548"');
  });
});

it("freePorts() skips ports that a program uses", async () => {
  const programs = [createServer(), createServer()];
  const [server = 0, chain = 0] = await Promise.all(
    programs.map(async (program) => {
      await new Promise<void>((done) => program.listen(0, "127.0.0.1", done));
      const address = program.address();
      return typeof address === "object" && address ? address.port : 0;
    }),
  );
  try {
    const free = await freePorts({ server, chain });
    expect(free.server).toBeGreaterThan(server);
    expect(free.chain - chain).toBe(free.server - server);
    // Only one of them is in use.
    expect((await freePorts({ server: free.server, chain })).chain).toBeGreaterThan(chain);
  } finally {
    for (const program of programs) program.close();
  }
});

describe("create-purse-app", () => {
  it("installs the dependencies and says what to do next", async () => {
    await run(["my-dapp", "--template", "nextjs"], { manager: "pnpm" });
    expect(installed).toEqual([join(cwd, "my-dapp")]);
    expect(printed.join()).toMatch(/cd my-dapp\n {2}pnpm start/);
    expect(printed.join()).toContain("http://localhost:3000");
  });

  it("leaves the installation to the user with --no-install", async () => {
    await run(["my-dapp", "--yes", "--no-install"]);
    expect(installed).toEqual([]);
    expect(printed.join()).toMatch(/cd my-dapp\n {2}npm install\n {2}npm start/);
  });

  it("asks for what is missing", async () => {
    const calls: string[] = [];
    const questions: Questions = {
      async folder(proposal) {
        calls.push(`folder ${proposal}`);
        return "chosen";
      },
      async starter() {
        calls.push("starter");
        const [, , moralis] = STARTERS;
        return moralis ?? Promise.reject(new Error("no starter"));
      },
    };
    await run([], { questions });
    expect(calls).toEqual(["folder my-purse-app", "starter"]);
    expect(read("chosen/package.json")).toContain('"react-moralis": "npm:@purse/react@^');
    await run(["named", "--template", "react"], { questions });
    expect(calls).toHaveLength(2);
  });

  it("asks nothing with --yes or without a terminal", async () => {
    const questions: Questions = {
      folder: () => Promise.reject(new Error("not expected")),
      starter: () => Promise.reject(new Error("not expected")),
    };
    await run(["--yes"], { questions });
    expect(read("my-purse-app/src/main.tsx")).toContain("@purse/react");
    await run(["other"]);
    expect(read("other/src/main.tsx")).toContain("@purse/react");
  });

  it("writes to an empty folder or repository, and to no other one", async () => {
    mkdirSync(join(cwd, "my-dapp/.git"), { recursive: true });
    await run(["my-dapp"]);
    await expect(run(["my-dapp"])).rejects.toThrow(/my-dapp is not empty/);
    writeFileSync(join(cwd, "a-file"), "");
    await expect(run(["a-file"])).rejects.toThrow("is a file");
  });

  it("rejects names that a package cannot have before it writes anything", async () => {
    await expect(run(["My Dapp"])).rejects.toThrow(CreateError);
    await expect(run(["node_modules"])).rejects.toThrow(/"node_modules" is no name for a project/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("rejects wrong arguments", async () => {
    await expect(run(["my-dapp", "--template", "angular"])).rejects.toThrow(UsageError);
    await expect(run(["one", "two"])).rejects.toThrow(UsageError);
    await expect(run(["--nothing"])).rejects.toMatchObject({ code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" });
  });

  it("shows its help and its version", async () => {
    await run(["--help"]);
    await run(["--version"]);
    expect(printed).toEqual([expect.stringContaining("react, nextjs, moralis"), await ownVersion()]);
  });

  it("takes packed packages from a folder, also those that only other packages depend on", async () => {
    const version = await ownVersion();
    const packages = join(cwd, "packed");
    mkdirSync(packages);
    await expect(run(["my-dapp", "--packages", "packed"])).rejects.toThrow("does not exist");
    for (const name of ["purse", "purse-protocol", "purse-client", "purse-react", "purse-moralis"])
      writeFileSync(join(packages, `${name}-${version}.tgz`), "");
    await run(["my-dapp", "--template", "moralis", "--packages", "packed"]);
    const { dependencies, devDependencies, overrides } = JSON.parse(read("my-dapp/package.json"));
    const tarball = (name: string) => `file:${join(packages, `${name}-${version}.tgz`)}`;
    expect(dependencies["react-moralis"]).toBe(tarball("purse-react"));
    expect(devDependencies.purse).toBe(tarball("purse"));
    expect(overrides).toMatchObject({ "@purse/client": tarball("purse-client") });
  });
});
