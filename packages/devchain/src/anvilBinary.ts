import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64", arm64: "arm64" };

/**
 * Path of the Anvil executable that npm installed for this machine. Falls back to the launcher script in
 * `node_modules/.bin` if Node.js does not find the platform's package. Throws an Error that says what to install if
 * neither exists.
 */
export function anvilBinary(platform = process.platform, architecture = process.arch): string {
  const packageName = `@foundry-rs/anvil-${platform}-${architectures[architecture] ?? architecture}`;
  const executable = platform === "win32" ? "anvil.exe" : "anvil";
  return fromPlatformPackage(packageName, executable) ?? fromBinFolder(platform) ?? notInstalled(packageName);
}

function fromPlatformPackage(packageName: string, executable: string): string | undefined {
  const require = createRequire(import.meta.url);
  // The platform's package is a dependency of @foundry-rs/anvil, so npm may install it there.
  const searchers = [require];
  try {
    searchers.push(createRequire(require.resolve("@foundry-rs/anvil/package.json")));
  } catch {
    // Not installed by npm: try the other locations.
  }
  for (const searcher of searchers) {
    try {
      const path = searcher.resolve(`${packageName}/bin/${executable}`);
      if (existsSync(path)) return path;
    } catch {
      // Not found here: try the next one.
    }
  }
  return undefined;
}

function fromBinFolder(platform: NodeJS.Platform): string | undefined {
  const launcher = platform === "win32" ? "anvil.cmd" : "anvil";
  let folder = dirname(fileURLToPath(import.meta.url));
  while (folder !== dirname(folder)) {
    const path = join(folder, "node_modules", ".bin", launcher);
    if (existsSync(path)) return path;
    folder = dirname(folder);
  }
  return undefined;
}

function notInstalled(packageName: string): never {
  throw new Error(
    `The local chain needs Anvil, but ${packageName} is not installed. Run "npm install" with optional dependencies, ` +
      "or start without the local chain (PURSE_DEV_CHAIN=0).",
  );
}
