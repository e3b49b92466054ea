export { createIpfsGateway } from "./gateway.ts";
export { type Ipfs, openIpfs } from "./ipfs.ts";
export { type IpfsService, openIpfsService } from "./ipfsService.ts";
export { pinRoutes } from "./pinRoutes.ts";
export { PinService } from "./pinService.ts";
export { uploadFolder } from "./uploadFolder.ts";
