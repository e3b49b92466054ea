/*
 * The packed packages for build tools that do not know `exports` and parse no newer syntax than that of 2019, such as
 * webpack 4. They find this build by the fields `main` and `module`; all others use `dist`.
 */
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Compiles the modules below `dist` into the folder `legacy` beside it; other packages stay imports. */
export async function writeLegacyBuild(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: join(folder, "dist/index.js"),
    // The helpers of the compiled syntax are put into the build.
    external: /^(?!@oxc-project\/)[@a-z]/,
    platform: "browser",
    transform: { target: "es2019" },
    logLevel: "silent",
  });
  await bundle.write({
    dir: join(folder, "legacy"),
    format: "esm",
    entryFileNames: "index.js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
}
