import { describe, expect, it } from "vitest";
import type { ImageCache } from "./imageCache.ts";
import type { ImageTransform } from "./imageTransform.ts";
import type { TransformOutcome } from "./imageTransformer.ts";
import { type ImageSource, TransformedImages } from "./transformedImages.ts";

const SMALL: ImageTransform = { width: 64, height: 64, fit: "inside", format: "webp", quality: 80 };
const LARGE: ImageTransform = { ...SMALL, width: 2_048, height: 2_048, format: "avif" };
const IMAGE: TransformOutcome = { image: new Uint8Array([1]) };

const emptyCache: ImageCache = {
  read: async () => undefined,
  write: async () => undefined,
  close: async () => undefined,
};

const picture = (name: string): ImageSource => ({ name, read: async () => new Uint8Array([1]) });

/** Images whose large transforms are done by a function. */
function imagesWith(large: () => Promise<TransformOutcome>): TransformedImages {
  const stop = async () => undefined;
  return new TransformedImages(
    emptyCache,
    {},
    { small: { run: async () => IMAGE, stop }, large: { run: large, stop } },
  );
}

describe("TransformedImages", () => {
  it("creates an image in one size after it took too long in another one, which is not tried again at once", async () => {
    let runs = 0;
    const images = imagesWith(async () => {
      runs += 1;
      return { error: "it takes too long", isLasting: false };
    });
    for (const client of ["a", "b"])
      await expect(images.get(picture("x"), LARGE, client)).rejects.toMatchObject({ code: 143, status: 503 });
    expect(runs).toBe(1);
    expect(await images.get(picture("x"), SMALL, "a")).toHaveLength(1);
  });

  it("tries content that is no image once for all sizes", async () => {
    const images = imagesWith(async () => ({ error: "no image", isLasting: true }));
    await expect(images.get(picture("x"), LARGE, "a")).rejects.toMatchObject({ status: 415 });
    await expect(images.get(picture("x"), SMALL, "a")).rejects.toMatchObject({ status: 415 });
  });

  it("creates small images of the same and of other clients while large ones take their time", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<TransformOutcome>();
    const images = imagesWith(() => released);
    const large = Array.from({ length: 20 }, (_, i) => images.get(picture(`${i}`), LARGE, "greedy"));
    for (const client of ["greedy", "modest"])
      expect(await images.get(picture(`of ${client}`), SMALL, client)).toHaveLength(1);
    release(IMAGE);
    expect(await Promise.all(large)).toHaveLength(20);
  });

  it("has one large image of a client at a time, so that another client's is not behind them", async () => {
    const waiting: (() => void)[] = [];
    const images = imagesWith(() => new Promise((resolve) => waiting.push(() => resolve(IMAGE))));
    const greedy = Array.from({ length: 20 }, (_, i) => images.get(picture(`${i}`), LARGE, "greedy"));
    const modest = images.get(picture("mine"), LARGE, "modest");
    await expect.poll(() => waiting.length).toBe(2);
    waiting.splice(1, 1)[0]?.();
    expect(await modest).toHaveLength(1);
    const all = Promise.all(greedy);
    for (let done = 0; done < greedy.length; done++) {
      await expect.poll(() => waiting.length).toBe(1);
      waiting.shift()?.();
    }
    expect(await all).toHaveLength(20);
  });
});
