export {
  IMAGE_TYPES,
  type ImageTransform,
  requestedThumbnail,
  requestedTransform,
  thumbnailTransform,
} from "./imageTransform.ts";
export { openImages } from "./openImages.ts";
export { readImage } from "./readImage.ts";
export { sendImage } from "./sendImage.ts";
export {
  type ImageSource,
  MAX_IMAGE_BYTES,
  TransformedImages,
} from "./transformedImages.ts";
