export {
  requestedThumbnail,
  requestedTransform,
  thumbnailTransform,
} from "./imageTransform.ts";
export { openImages } from "./openImages.ts";
export { readImage } from "./readImage.ts";
export { sendImage } from "./sendImage.ts";
export {
  MAX_IMAGE_BYTES,
  TransformedImages,
} from "./transformedImages.ts";
