import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Bundle {
  /** The code of the scripts by their names; `entry.js` is the first. */
  scripts: ReadonlyMap<string, string>;
}

/** Bundles a script as applications do, with the client from this repository. */
export async function bundle(source: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "purse-page-"));
  const entry = join(folder, "entry.ts");
  await writeFile(entry, source.replaceAll("@purse/client", join(ROOT, "packages/client/src/index.ts")));
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      target: "es2022",
      minify: false,
      modulePreload: false,
      rolldownOptions: {
        input: { entry },
        output: { entryFileNames: "entry.js", chunkFileNames: "[name].js" },
      },
    },
  }).finally(() => rm(folder, { recursive: true }));
  const outputs = [built].flat().filter((each): each is Rolldown.RolldownOutput => "output" in each);
  const chunks = outputs.flatMap(({ output }) => output).filter((each) => each.type === "chunk");
  return { scripts: new Map(chunks.map(({ fileName, code }) => [fileName, code])) };
}

export interface ClientPage {
  url: string;
  stop(): void;
}

/** Serves a page on another origin, with the client as `window.purse` and Magic's library registered. */
export async function serveClientPage(): Promise<ClientPage> {
  const { scripts } = await bundle(
    `import * as purse from "@purse/client";
     purse.registerWalletLibrary("magic-sdk", () => import("${join(ROOT, "node_modules/magic-sdk")}"));
     Object.assign(window, { purse });`,
  );
  const server = createServer(({ url = "/" }, response) => {
    const script = scripts.get(url.slice(1));
    const type = script === undefined ? "text/html" : "text/javascript";
    response.writeHead(200, { "content-type": type });
    response.end(
      script ??
        '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/entry.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() };
}
