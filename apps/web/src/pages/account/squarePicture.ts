/** The width and height of a profile picture, in pixels. */
const SIZE = 256;

/** Cuts out the middle of an image as a small square, without its metadata. Rejects for a file that is no image. */
export async function squarePicture(file: Blob): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error("This file is not an image that your browser can read.");
  });
  const { width, height } = image;
  const side = Math.min(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = SIZE;
  canvas.height = SIZE;
  const context = canvas.getContext("2d");
  context?.drawImage(image, (width - side) / 2, (height - side) / 2, side, side, 0, 0, SIZE, SIZE);
  image.close();
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (picture) => (picture ? resolve(picture) : reject(new Error("The picture could not be encoded."))),
      "image/webp",
      0.9,
    ),
  );
}
