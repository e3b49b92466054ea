import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePackagesBuilt } from "./build.mjs";
import { FEATURE_PACKAGES } from "./packages/featurePackages.ts";
import { tarballOf, unpack } from "./packages/tarballs.ts";

const ROOT = resolve(import.meta.dirname, "..");
const CLIENT_NAMES = ["@purse/protocol", "@purse/client", "@purse/react", "@purse/moralis"];
const SERVER_NAMES = ["@purse/kernel", "@purse/outbound", "@purse/workers", "@purse/chain", "@purse/server"];
const MODULE_NAMES = [...CLIENT_NAMES, ...SERVER_NAMES];
const PROGRAM_NAMES = ["create-purse-app", "purse"];

/** A project below the workspace, where the dependencies of the packed copies are found. */
let project: string;

beforeAll(() => {
  ensurePackagesBuilt();
  project = mkdtempSync(join(ROOT, ".cache/packed-"));
  for (const name of MODULE_NAMES) unpack(name, join(project, "node_modules", name));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
}, 300_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(tarballOf(name)));
}

/** Runs a script of the project with plain Node; answers what it prints. */
function runNode(file: string, source: string): string {
  writeFileSync(join(project, file), source);
  return execFileSync(process.execPath, [file], { cwd: project, encoding: "utf8" }).trim();
}

describe.each([...MODULE_NAMES, ...FEATURE_PACKAGES, ...PROGRAM_NAMES])("%s, packed", (name) => {
  const files = () =>
    execFileSync("tar", ["-tzf", tarballOf(name)], { encoding: "utf8" })
      .trim()
      .split("\n");
  const manifest = () =>
    execFileSync("tar", ["-xzOf", tarballOf(name), "package/package.json"], { encoding: "utf8" });

  it("has no problem that publint reports", async () => {
    const { messages, pkg } = await publint({ pack: { tarball: bytesOf(name).buffer }, level: "warning" });
    // Browsers run the built apps; Node.js only serves their files.
    const ofNode = messages.filter(
      ({ args }) => !("actualFilePath" in args && /\/apps\/\w+\/dist\//.test(args.actualFilePath ?? "")),
    );
    expect(ofNode.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("contains code, license and description, but no tests", () => {
    for (const file of ["package.json", "README.md", "LICENSE"]) expect(files()).toContain(`package/${file}`);
    expect(files().filter((file) => /\.test\.|\/testing\/|tsbuildinfo/.test(file))).toEqual([]);
  });

  it("has the metadata for a publication with provenance, and no workspace paths", () => {
    expect(JSON.parse(manifest())).toMatchObject({
      license: "Apache-2.0",
      description: expect.any(String),
      engines: { node: expect.any(String) },
      files: expect.any(Array),
      publishConfig: { access: "public", provenance: true },
    });
    expect(manifest()).not.toMatch(/src\/|"private"|"\*"|devDependencies/);
  });
});

describe.each(MODULE_NAMES)("%s, packed", (name) => {
  it("has types that every module resolution finds and that match the code", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(bytesOf(name)));
    expect(analysis.types).toBeTruthy();
    const problems = "problems" in analysis ? analysis.problems : [];
    // ES modules only: `require` of them is Node's from 20.19 on. Subpaths need a tool that knows `exports`.
    const known = ["CJSResolvesToESM"];
    const found = problems.filter(
      (problem) =>
        !known.includes(problem.kind) &&
        !("resolutionKind" in problem && problem.resolutionKind === "node10" && problem.entrypoint !== "."),
    );
    expect(found).toEqual([]);
  });

  it("imports what its manifest names, and nothing else", () => {
    const folder = join(project, "node_modules", name);
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    const named = [name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    const modules = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" });
    const imported = modules
      .filter((file) => /\.js$/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(folder, "dist", file), "utf8").matchAll(
          /(?:^(?:import|export|\}) [^"\n]*from |^import |\bimport\()"((?:@[^/"]+\/)?[^/".:][^/":]*)(?:\/[^"]*)?"/gm,
        ),
      ])
      .map(([, library = ""]) => library);
    expect([...new Set(imported)].filter((library) => !named.includes(library))).toEqual([]);
  });

  it("consists of compiled modules and their types", () => {
    const folder = join(project, "node_modules", name, "dist");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["index.js", "index.d.ts"]));
    expect(files.filter((file) => /\.tsx?$/.test(file.replace(/\.d\.c?ts$/, "")))).toEqual([]);
  });
});

describe("the packed server", () => {
  it("starts in Node.js with its worker threads, and serves the packed client", () => {
    const source = `
      import Moralis from "@purse/client";
      import { createLogger, createServer, loadConfig } from "@purse/server";
      import { defineConfig } from "@purse/server/config";
      const settings = defineConfig({ appId: "app", masterKey: "master", port: 0 });
      const argv = ["--port", "0", "--data-dir", "server-data"];
      const config = await loadConfig({ argv, env: { PURSE_APP_ID: settings.appId }, cwd: process.cwd() });
      const logger = createLogger({ level: "error", format: "text", write: console.error });
      const server = await createServer(config, { logger, chains: [] });
      await server.start();
      await Moralis.start({ serverUrl: server.url + "/server", appId: "app" });
      await new Moralis.Object("Post").save({ title: "First" });
      const [post] = await new Moralis.Query("Post").find();
      console.log(post.get("title"));
      await server.stop();
      process.exit();`;
    expect(runNode("packedServer.mjs", source)).toBe("First");
  });
});

describe("the packed server without the packages of its features", () => {
  const prelude = `
    import { createLogger, createServer, loadConfig } from "@purse/server";
    const load = (env = {}) => loadConfig({
      argv: ["--port", "0", "--data-dir", "feature-data"], env: { PURSE_APP_ID: "app", ...env }, cwd: process.cwd(),
    });
    const logger = createLogger({ level: "error", format: "text", write: console.error });`;

  it("has no GraphQL and no MCP endpoint, sends files as they are stored, and refuses what needs a package", () => {
    const source = `${prelude}
      const config = await load();
      const headers = { "X-Parse-Application-Id": "app", "X-Parse-Master-Key": config.masterKey };
      const server = await createServer(config, { logger, chains: [] });
      await server.start();
      const statusOf = async (path, options) => (await fetch(new URL(path, server.url), options)).status;
      const upload = (more) => fetch(server.url + "/server/files/a.png", {
        method: "POST",
        headers: { ...headers, "Content-Type": "image/png", ...more },
        body: "content",
      });
      const { url } = await (await upload()).json();
      const inIpfs = await upload({ "X-Parse-File-IPFS": "true" });
      console.log(JSON.stringify({
        graphql: await statusOf("/graphql?query=%7B__typename%7D"),
        mcp: await statusOf("/mcp", { method: "POST" }),
        file: await (await fetch(url)).text(),
        image: await statusOf(url + "?width=64"),
        ipfs: [inIpfs.status, (await inIpfs.json()).error],
      }));
      await server.stop();
      process.exit();`;
    expect(JSON.parse(runNode("withoutFeatures.mjs", source))).toEqual({
      graphql: 404,
      mcp: 404,
      file: "content",
      image: 501,
      ipfs: [501, "Content cannot be stored in IPFS: this server has no package @purse/ipfs."],
    });
  });

  it("names the package that a setting needs", () => {
    const source = `${prelude}
      for (const env of [{ PURSE_GRAPHQL: "1" }, { PURSE_FILES_STORE: "s3://files" }, { PURSE_GRAPHQL: "0" }])
        await load(env).then(() => console.log("loaded"), ({ name, packageName }) => console.log(name, packageName));`;
    expect(runNode("missingFeatures.mjs", source).split("\n")).toEqual([
      "MissingPackageError @purse/graphql",
      "MissingPackageError @purse/s3",
      "loaded",
    ]);
  });

  it("has the features whose packages are installed beside it", () => {
    for (const name of FEATURE_PACKAGES) unpack(name, join(project, "node_modules", name));
    const source = `${prelude}
      const ipfs = { PURSE_IPFS_RPC_URL: "http://127.0.0.1:1" };
      const config = await load({ PURSE_GRAPHQL: "1", PURSE_MCP: "read", PURSE_FILES_STORE: "s3://files", ...ipfs });
      const headers = { "X-Parse-Application-Id": "app", "X-Parse-Master-Key": config.masterKey };
      const server = await createServer(config, { logger, chains: [] });
      await server.start();
      const answer = await fetch(server.url + "/graphql", {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: '{"query":"{ __typename }"}',
      });
      console.log(JSON.stringify(await answer.json()), (await fetch(server.url + "/mcp", { method: "POST" })).status);
      await server.stop();
      process.exit();`;
    expect(runNode("withFeatures.mjs", source)).toBe('{"data":{"__typename":"Query"}} 401');
  });
});

describe.runIf(process.env.PURSE_PROVE_PACKAGES === "1")(
  "the packed server, installed in an empty folder",
  () => {
    it("brings at most 200 packages and 90 MB", () => {
      const home = mkdtempSync(join(tmpdir(), "purse-library-"));
      writeFileSync(join(home, "package.json"), '{ "private": true }');
      const files = [...SERVER_NAMES, "@purse/protocol", "@purse/client"].map(tarballOf);
      const options = ["--no-audit", "--no-fund", "--ignore-scripts"];
      execFileSync("npm", ["install", ...options, ...files], { cwd: home, stdio: "pipe" });
      const { packages } = JSON.parse(readFileSync(join(home, "node_modules/.package-lock.json"), "utf8"));
      const sizes = readdirSync(join(home, "node_modules"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
      rmSync(home, { recursive: true, force: true });
      expect(Object.keys(packages).length).toBeLessThanOrEqual(200);
      expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(90 * 1024 ** 2);
    }, 120_000);
  },
);

describe("the packed client in plain Node", () => {
  it("exports the namespace as default and by name, and its members by name", () => {
    const source = `
      import Moralis, { Moralis as named, Query, start } from "@purse/client";
      console.log(Moralis === named, Moralis.Query === Query, Moralis.start === start, Moralis.Moralis === Moralis);`;
    expect(runNode("import.mjs", source)).toBe("true true true true");
  });

  it("exports the same namespace for require()", () => {
    const source = `
      const Moralis = require("@purse/client");
      import("@purse/client").then((parts) => console.log(parts.default === Moralis, parts.Query === Moralis.Query));`;
    expect(runNode("require.cjs", source)).toBe("true true");
  });

  it("sends requests to a server", () => {
    const source = `
      import { createServer } from "node:http";
      import Moralis from "@purse/client";
      const server = createServer((request, response) => {
        request.resume().on("end", () => {
          response.setHeader("content-type", "application/json");
          const results = [{ objectId: "p1", title: "First" }];
          response.end(JSON.stringify(request.url.endsWith("getPluginSpecs") ? { result: [] } : { results }));
        });
      }).listen(0, async () => {
        await Moralis.start({ serverUrl: "http://127.0.0.1:" + server.address().port, appId: "app" });
        const [post] = await new Moralis.Query("Post").find();
        console.log(post.id, post.get("title"));
        server.close();
      });`;
    expect(runNode("server.mjs", source)).toBe("p1 First");
  });
});

describe("the packed client in a bundle", () => {
  const LIBRARIES = ["@walletconnect/ethereum-provider", "@web3auth/modal", "magic-sdk", "ethers"];

  async function bundled(source: string): Promise<{ code: string; warnings: string[] }> {
    writeFileSync(join(project, "wallets.mjs"), source);
    const warnings: string[] = [];
    const bundle = await rolldown({
      input: "wallets.mjs",
      cwd: project,
      onwarn: ({ message }) => warnings.push(message),
    });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    return { code: output.map((file) => ("code" in file ? file.code : "")).join("\n"), warnings };
  }

  function install(name: string, source: string): void {
    const folder = join(project, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, type: "module", main: "index.js" }));
    writeFileSync(join(folder, "index.js"), source);
  }

  const WALLETS = 'export { enableWeb3, loadEthers } from "@purse/client";';

  it("builds without warnings if optional libraries are missing or cannot be built", async () => {
    expect((await bundled(WALLETS)).warnings).toEqual([]);
    for (const name of LIBRARIES)
      install(name, 'export { missing } from "a-package-that-is-not-there/browser";');
    const { code, warnings } = await bundled(WALLETS);
    expect(warnings).toEqual([]);
    expect(code).not.toContain("a-package-that-is-not-there");
  });

  it("includes the libraries that the application registers", async () => {
    for (const name of LIBRARIES) install(name, `export default "all of ${name}";`);
    const { code } = await bundled(`
      import { loadEthers, registerWalletLibrary } from "@purse/client";
      registerWalletLibrary("magic-sdk", () => import("magic-sdk"));
      registerWalletLibrary("@web3auth/modal", () => import("@web3auth/modal"));
      registerWalletLibrary("@walletconnect/ethereum-provider", () => import("@walletconnect/ethereum-provider"));
      loadEthers(() => import("ethers"));`);
    for (const name of LIBRARIES) expect(code).toContain(`all of ${name}`);
  });

  it("loads installed libraries by itself in Node", () => {
    install("magic-sdk", "export class Magic { constructor() { throw new Error('found'); } }");
    const source = `
      import { MagicWeb3Connector } from "@purse/client";
      const options = { email: "a@b.c", apiKey: "pk", network: "sepolia" };
      await new MagicWeb3Connector().activate(options).catch((error) => console.log(error.cause.message));`;
    expect(runNode("magic.mjs", source)).toBe("found");
  });

  it("contains no exponentiation of bigints, which older build tools compile to Math.pow", () => {
    const dist = join(project, "node_modules/@purse/client/dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".js"),
    );
    expect(files).toContain("viem/utils.js");
    for (const file of files) {
      const code = readFileSync(join(dist, file), "utf8");
      expect(code, file).not.toMatch(/\b\d+n \*\* |\*\* (\d+n|BigInt)\b/);
      expect(code, file).not.toMatch(/(from|import\() ?"viem/);
    }
  });
});

describe("the packed packages under the Moralis names", () => {
  beforeAll(() => {
    const modules = join(project, "node_modules");
    // What npm makes of "moralis-v1": "npm:@purse/moralis" and "react-moralis": "npm:@purse/react".
    cpSync(join(modules, "@purse/moralis"), join(modules, "moralis-v1"), { recursive: true });
    cpSync(join(modules, "@purse/react"), join(modules, "react-moralis"), { recursive: true });
  });

  it("share one client for all kinds of imports", () => {
    const source = `
      import { createRequire } from "node:module";
      import Moralis, { Moralis as named } from "moralis-v1";
      import fromNode from "moralis-v1/node";
      import * as client from "@purse/client";
      const required = createRequire(import.meta.url)("moralis-v1/node");
      console.log([named, fromNode, required, required.Moralis, client.Moralis].every((each) => each === Moralis));`;
    expect(runNode("old.mjs", source)).toBe("true");
  });

  it("share one client in a bundle, with require and import", async () => {
    const source = `
      const Moralis = require("moralis-v1");
      import("./imported.mjs").then(({ default: imported }) => console.log(imported === Moralis));`;
    writeFileSync(join(project, "imported.mjs"), 'export { default } from "moralis-v1";');
    writeFileSync(join(project, "required.cjs"), source);
    const bundle = await rolldown({ input: "required.cjs", cwd: project, platform: "node" });
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    await bundle.close();
    expect(runNode("bundled.mjs", output[0].code)).toBe("true");
  });

  it("share that client with the hooks", () => {
    const source = `
      import { createElement } from "react";
      import { renderToString } from "react-dom/server";
      import Moralis from "moralis-v1";
      import { MoralisProvider, useMoralis } from "react-moralis";
      const App = () => String(useMoralis().Moralis === Moralis);
      const settings = { appId: "app", serverUrl: "http://127.0.0.1:1/server" };
      console.log(renderToString(createElement(MoralisProvider, settings, createElement(App))));`;
    expect(runNode("hooks.mjs", source)).toBe("true");
  });
});

describe("the packed packages in a TypeScript project", () => {
  it.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])("compile with module %s", (module, moduleResolution) => {
    const compilerOptions = {
      module,
      moduleResolution,
      target: "es2022",
      lib: ["es2024", "dom"],
      jsx: "react-jsx",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["use.ts"] }));
    writeFileSync(
      join(project, "use.ts"),
      `import Moralis, { Query, User } from "moralis-v1";
       import { MoralisProvider, useMoralis } from "react-moralis";
       import { ErrorCode } from "@purse/protocol";
       export const code: number = ErrorCode.OBJECT_NOT_FOUND;
       export const user: User | null = Moralis.User.current();
       export const query = new Query<Moralis.Object>("Post").equalTo("title", "First");
       export const hooks = [MoralisProvider, useMoralis];
       // @ts-expect-error A query has no such constraint.
       query.isLucky();
      `,
    );
    expect(compiled()).toBe("");
  });

  it("have the types of viem inside, which check calls of contracts", () => {
    const compilerOptions = {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom"],
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: false,
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["call.ts"] }));
    writeFileSync(
      join(project, "call.ts"),
      `import { readContract } from "@purse/client";
       const abi = [
         { type: "function", name: "balanceOf", stateMutability: "view", inputs: [{ name: "owner", type: "address" }],
           outputs: [{ name: "", type: "uint256" }] },
       ] as const;
       export const balance: Promise<bigint> =
         readContract({ address: "0x0", abi, functionName: "balanceOf", args: ["0x1"] });
       // @ts-expect-error The contract has no such function.
       readContract({ address: "0x0", abi, functionName: "symbol", args: ["0x1"] });
      `,
    );
    const files = compiled("--listFiles").trim().split("\n");
    expect(files.filter((file) => !/^\/\S+$/.test(file))).toEqual([]);
    expect(files.filter((file) => /node_modules\/(viem|ox|abitype)\//.test(file))).toEqual([]);
    expect(files.some((file) => file.includes("/@purse/client/dist/viem/types/abitype/"))).toBe(true);
  });

  function compiled(...options: string[]): string {
    const compiler = join(ROOT, "node_modules/.bin/tsc");
    try {
      return execFileSync(compiler, ["-p", project, ...options], { encoding: "utf8" });
    } catch (error) {
      return String(Object(error).stdout);
    }
  }
});
