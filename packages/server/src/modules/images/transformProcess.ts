import { READY, type TransformResult, type TransformTask } from "./imageTransformer.ts";
import { transformImage } from "./transformImage.ts";

/** Interval of memory checks, in ms. */
const MEMORY_CHECK_MS = 25;

// Image decoders allocate memory that the engine's limit does not count. They run in other threads, so this one can
// check it in time.
const maxBytes = Number(process.argv[2]) * 1024 * 1024;
if (maxBytes > 0) {
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, "SIGKILL");
  }, MEMORY_CHECK_MS).unref();
}

/** A process that decodes untrusted images: it has no secrets and may be killed at any time. */
process.on("message", ({ content, transform }: TransformTask) => {
  transformImage(content, transform).then(
    (image) => reply({ image }),
    (error: unknown) => reply({ error: error instanceof Error ? error.message : String(error) }),
  );
});
// The parent process has ended.
process.on("disconnect", () => process.exit(0));

function reply(message: TransformResult): void {
  process.send?.(message);
}

process.send?.(READY);
