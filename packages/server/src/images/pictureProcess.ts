import { type PictureAnswer, type PictureTask, READY } from "./pictureTasks.ts";
import { smallPicture } from "./smallPicture.ts";

/** How often the memory of this process is looked at, in ms. */
const LOOK_MS = 25;

// What decodes pictures takes memory that the engine's own limit does not count. It works in threads beside this one,
// which therefore notices in time.
const maxBytes = Number(process.argv[2]) * 1024 * 1024;
if (maxBytes > 0) {
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, "SIGKILL");
  }, LOOK_MS).unref();
}

/** A process that decodes pictures of strangers: it has no secrets, and may be killed in the middle of any of them. */
process.on("message", ({ content, width }: PictureTask) => {
  smallPicture(content, width).then(
    (picture) => answer({ picture }),
    (error: unknown) => answer({ problem: error instanceof Error ? error.message : String(error) }),
  );
});
// Nobody is left who would ask.
process.on("disconnect", () => process.exit(0));

function answer(message: PictureAnswer): void {
  process.send?.(message);
}

process.send?.(READY);
