export { sendImage } from "./sendImage.ts";
export {
  type ImageSource,
  invalidImage,
  MAX_IMAGE_BYTES,
  requestedWidth,
  Thumbnails,
} from "./thumbnails.ts";
