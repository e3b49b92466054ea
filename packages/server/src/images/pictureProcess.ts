import { type PictureAnswer, type PictureTask, READY } from "./pictureTasks.ts";
import { smallPicture } from "./smallPicture.ts";

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
