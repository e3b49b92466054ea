import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** WebP quality: text stays sharp, and a page takes some tens of kilobytes. */
const QUALITY = 0.86;

/** Saves a screenshot as WebP, encoded by the browser in a separate page. */
export async function savePicture(page: Page, path: string): Promise<void> {
  const png = await page.screenshot();
  const encoderPage = await page.context().newPage();
  try {
    const webp = await encoderPage.evaluate(
      async ([base64, quality]) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/webp", quality });
        const bytes = new Uint8Array(await blob.arrayBuffer());
        return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      },
      [png.toString("base64"), QUALITY] as const,
    );
    writeFileSync(path, Buffer.from(webp, "base64"));
  } finally {
    await encoderPage.close();
  }
}
