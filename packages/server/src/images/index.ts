export { nftPictures } from "./nftPictures.ts";
export { sendPicture } from "./sendPicture.ts";
export { askedWidth, MAX_PICTURE, noPicture, type Source, Thumbnails } from "./thumbnails.ts";
