export { createIpfsGateway } from "./gateway.ts";
export { type FolderEntry, type Ipfs, type IpfsEntry, openIpfs } from "./ipfs.ts";
export { type IpfsService, openIpfsService } from "./ipfsService.ts";
export { pinRoutes } from "./pinRoutes.ts";
export { PinService } from "./pinService.ts";
export { createUriReader } from "./readUri.ts";
export { uploadFolder } from "./uploadFolder.ts";
