export { createNftImageHandler as nftPictures } from "./nftImages.ts";
export { sendImage as sendPicture } from "./sendImage.ts";
export {
  type ImageSource as Source,
  invalidImage as noPicture,
  MAX_IMAGE_BYTES as MAX_PICTURE,
  requestedWidth as askedWidth,
  Thumbnails,
} from "./thumbnails.ts";
