/*
 * `npm run prove:image`: builds the container image and runs it, without a registry of images.
 * The base image, which has Node.js and npm, is made by debootstrap. The server then runs as user 1000 on a read-only root
 * file system, as in compose.yaml. Needs root, and the packages buildah, debootstrap and crun of Debian.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../support/freePort.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(ROOT, ".cache/image");
const BASE = join(CACHE, "base");
const CERTIFICATES = "/etc/ssl/certs";
const START_TIMEOUT_MS = 60_000;

if (process.getuid?.() !== 0) throw new Error("prove:image needs root, for debootstrap and chroot");
makeBase();
buildImage();
await runImage();

function makeBase(): void {
  if (existsSync(join(BASE, "usr/local/bin/npm"))) return;
  console.log("Making the base image (once; a minute or two) …");
  rmSync(BASE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  run("debootstrap", ["--variant=minbase", "--include=ca-certificates,libatomic1", "stable", BASE]);
  const npm = realpathSync(run("sh", ["-c", "command -v npm"]));
  const local = join(BASE, "usr/local");
  cpSync(process.execPath, join(local, "bin/node"));
  cpSync(dirname(dirname(npm)), join(local, "lib/node_modules/npm"), { recursive: true, dereference: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
}

function buildImage(): void {
  console.log("Building the image (a few minutes) …");
  const container = buildah("from", "scratch");
  buildah("add", container, BASE, "/");
  const certificates = `NODE_EXTRA_CA_CERTS=${CERTIFICATES}/ca-certificates.crt`;
  buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin", "--env", certificates, container);
  buildah("commit", "--rm", "-q", container, "localhost/node");
  const npmrc = join(homedir(), ".npmrc");
  const volumes = [
    `${CERTIFICATES}:${CERTIFICATES}:ro`,
    ...(existsSync(npmrc) ? [`${npmrc}:/root/.npmrc:ro`] : []),
  ];
  buildah(
    ...["build", "--isolation", "chroot", "--network", "host", "--build-arg", "NODE_IMAGE=localhost/node"],
    ...volumes.flatMap((volume) => ["--volume", volume]),
    ...["--tag", "localhost/purse", ROOT],
  );
}

async function runImage(): Promise<void> {
  const container = buildah("from", "localhost/purse");
  const folder = buildah("mount", container);
  const port = await freePort();
  const { env, user, entrypoint } = settingsOf(container);
  const variables = [
    ...env.filter((variable) => !variable.startsWith("NODE_EXTRA_CA_CERTS=")),
    `PURSE_PORT=${port}`,
  ];
  const script = [
    `mount --bind ${folder} ${folder}`,
    `mount -t tmpfs -o uid=1000,gid=1000,mode=700 tmpfs ${folder}/data`,
    `mount -t proc proc ${folder}/proc`,
    `mount --rbind /dev ${folder}/dev`,
    `mount -o remount,bind,ro ${folder}`,
    `exec chroot --userspec=${user} ${folder} /usr/bin/env -i -C /app ${variables.join(" ")} ${entrypoint}`,
  ].join(" && ");
  const server = spawn("unshare", ["--mount", "sh", "-c", script], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => server.once("exit", resolve));
  try {
    await untilHealthy(port);
    const memory = run("ps", ["-o", "rss=", "-p", String(server.pid)]);
    const uid = run("ps", ["-o", "uid=", "-p", String(server.pid)]);
    if (uid !== user.split(":")[0]) throw new Error(`the server runs as user ${uid}`);
    server.kill("SIGTERM");
    const code = await exited;
    if (code !== 0) throw new Error(`the server exited with ${code} after SIGTERM`);
    const size = run("du", ["-sm", join(folder, "opt/purse")]).split("\t")[0];
    console.log(
      `\nThe image works: ${size} MB beside Node.js, ${Math.round(Number(memory) / 1024)} MB of memory.`,
    );
  } finally {
    server.kill("SIGKILL");
    buildah("umount", container);
    buildah("rm", container);
  }
}

async function untilHealthy(port: number): Promise<void> {
  const isHealthy = async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok;
  await until(isHealthy, { withinMs: START_TIMEOUT_MS, otherwise: "The server did not start" });
}

/** What a container engine would start: variables as NAME=value, user:group, and the command. */
function settingsOf(container: string): { env: string[]; user: string; entrypoint: string } {
  const { OCIv1 }: { OCIv1: { config: { Env: string[]; User: string; Entrypoint: string[] } } } = JSON.parse(
    buildah("inspect", container),
  );
  const { config } = OCIv1;
  return { env: config.Env, user: config.User, entrypoint: config.Entrypoint.join(" ") };
}

function buildah(...args: string[]): string {
  const storage = ["--root", join(CACHE, "storage"), "--runroot", join(CACHE, "run")];
  return run("buildah", [...storage, ...args]);
}

/** Returns the trimmed output. Throws Error if the command fails. */
function run(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1e9 });
  if (error)
    throw new Error(`${command} cannot be started: apt-get install buildah debootstrap crun`, {
      cause: error,
    });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed:\n${`${stdout}${stderr}`.slice(-4_000)}`);
  return stdout.trim();
}
